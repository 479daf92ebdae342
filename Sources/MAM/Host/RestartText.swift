/// What the user is told when the first policy of an account is there.
enum RestartText {
  static let title = "Restart needed"
  static let message = """
    Your organization now protects its data in this application. Restart the application to continue.
    """
  static let action = "OK"
}
