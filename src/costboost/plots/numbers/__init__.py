"""The numbers behind the pictures; nothing here knows how they are drawn."""
