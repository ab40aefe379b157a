"""The numbers on the page; nothing here knows how they are drawn."""
