enum MAMTestsPlaceholder {}
