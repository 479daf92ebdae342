enum mambridgeTestsPlaceholder {}
