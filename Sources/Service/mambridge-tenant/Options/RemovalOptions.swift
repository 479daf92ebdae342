import ArgumentParser
import Tenancy

/// How much may be missing from a new version of a tenant.
struct RemovalOptions: ParsableArguments {
  @Option(
    name: .customLong("most-removals"),
    help: ArgumentHelp(
      """
      Hold back what is missing if it is more than this part of the users or policies, in percent. The last of either, and \
      a group that a policy is assigned to, are always held back.
      """, valueName: "percent"))
  var mostRemovals = RemovalLimit.usual

  func validate() throws {
    guard (0...100).contains(mostRemovals) else {
      throw ValidationError("--most-removals must be a whole number from 0 to 100, such as 10.")
    }
  }

  var limit: RemovalLimit { RemovalLimit(percent: mostRemovals) }
}

/// The same, for a command that an administrator runs once.
struct AcceptableRemovalOptions: ParsableArguments {
  @OptionGroup var removals: RemovalOptions

  @Flag(help: "Remove whatever is missing.")
  var allowRemovals = false

  /// `nil` if all removals are accepted.
  var limit: RemovalLimit? { allowRemovals ? nil : removals.limit }
}
