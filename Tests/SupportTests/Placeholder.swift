enum SupportTestsPlaceholder {}
