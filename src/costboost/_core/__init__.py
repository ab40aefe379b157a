"""What trains, holds and applies models; nothing here is public."""
