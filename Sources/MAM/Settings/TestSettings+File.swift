import JSON
import Model
import Policy

extension TestSettings {
  /// From a MAMDebugSettings.plist, or a dictionary like it: JSON, an XML or a binary property list. What a device keeps
  /// will do as well.
  public init(path: String) throws(SettingsError) {
    do throws(SettingsError) {
      try self.init(contents: try SettingsFile.read(path))
    } catch {
      throw error.inFile(path)
    }
  }

  private init(contents: [UInt8]) throws(SettingsError) {
    let dictionary = try SettingsFile.dictionary(in: contents)
    do throws(Fault) {
      try self.init(dictionary.deviceDictionary?["IntuneMAMPolicies"]?.objectValue ?? dictionary)
    } catch {
      throw SettingsError(.misfit(error.reason), key: error.member)
    }
  }
}
