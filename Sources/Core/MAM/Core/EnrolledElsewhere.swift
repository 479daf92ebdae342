import Model
import SQLite

/// Whether a policy source that is not for development has ever enrolled an account of an app. The app's state.db says so
/// even after the account has left.
enum EnrolledElsewhere {
  fileprivate static let name = "enrolledElsewhere"

  /// Programs that did not store the fact knew no development tenants.
  static let migration = """
    INSERT INTO facts (name, value)
    SELECT '\(name)', 'true' WHERE EXISTS (SELECT 1 FROM accounts WHERE enrolled_at <> 0);

    """
}

extension StoreTransaction {
  func noteEnrolledElsewhere() throws(SQLiteError) {
    try connection.save(Entry(EnrolledElsewhere.name, "true"), to: StoreSchema.facts)
  }
}

extension Store {
  var isEnrolledElsewhere: Bool {
    get throws(MAMError) {
      try withConnection { connection throws(SQLiteError) in try connection.fact(EnrolledElsewhere.name) != nil }
    }
  }
}

extension StateFolder {
  /// Refuses a state whose mark for development was made by hand: whoever may order wipes in a development tenant must not
  /// reach real data. Throws 6001 if an account of any app was enrolled by another policy source, and if that cannot be
  /// read.
  package func checkDevelopment() throws(MAMError) {
    for app in appsWithState {
      let folder = forApp(app)
      let store = try Store(path: folder.database, migrations: StateSchema.app, isReadOnly: folder.isReadOnly)
      defer { store.close() }
      guard try store.isEnrolledElsewhere else { continue }
      throw MAMError(
        .storeUnavailable,
        "the state is marked for a development tenant, but accounts of the app \(app) were enrolled in it elsewhere; "
          + "nothing was changed",
        hint: "Use the state that mambridge-tenant dev prints as MAMBRIDGE_STATE. To use this state as before, remove "
          + "its file \(developmentMark.lastName)",
        path: developmentMark)
    }
  }
}
