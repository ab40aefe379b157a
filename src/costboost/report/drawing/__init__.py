"""Pictures as inline SVG. Colours are classes, so that the page's style can change them."""
