"""Tables that are made from what the chapters say of themselves."""
