enum ModelPlaceholder {}
