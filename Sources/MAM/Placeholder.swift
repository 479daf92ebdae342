enum MAMPlaceholder {}
