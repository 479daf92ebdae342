enum ModelTestsPlaceholder {}
