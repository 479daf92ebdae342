import Model
import Testing

@testable import Tenancy

@Suite struct FilterRuleTests {
  static let phone = FilterDevice(
    managementType: .unmanaged, manufacturer: "Google", model: "Pixel 8 Pro", osVersion: "14.2")

  @Test(
    "A filter rule evaluates comparisons, and, or, and parentheses for a device",
    arguments: [
      (#"(app.deviceManagementType -eq "Unmanaged")"#, true), (#"(APP.DEVICEMANAGEMENTTYPE -EQ "unmanaged")"#, true),
      (#"(app.deviceManagementType -ne "Unmanaged")"#, false), (#"app.deviceManagementType -eq Unmanaged"#, true),
      (#"((app.deviceManagementType -eq "Managed"))"#, false),
      (#"(app.deviceManagementType -eq "Android Enterprise")"#, false),
      (#"(app.deviceManagementType -eq Null)"#, false), (#"(app.deviceModel -ne $Null)"#, true),
      (#"(app.deviceManufacturer -eq "google")"#, true), (#"(app.deviceManufacturer -in ["Apple", "GOOGLE"])"#, true),
      (#"(app.deviceManufacturer -notIn ["Apple","Google"])"#, false),
      (#"(app.deviceModel -startsWith "pixel")"#, true), (#"(app.deviceModel -startsWith "8")"#, false),
      (#"(app.deviceModel -contains "8 P")"#, true), (#"(app.deviceModel -notContains "8 p")"#, false),
      (#"(app.deviceModel -contains "Pixel 8 Pro XL")"#, false),
      (#"(app.operatingSystemVersion -ge "14.2")"#, true), (#"(app.operatingSystemVersion -gt 14.2)"#, false),
      (#"(app.operatingSystemVersion -lt 14.10)"#, true), (#"(app.operatingSystemVersion -le 14.2.0)"#, true),
      (#"(app.operatingSystemVersion -eq "14.2.0")"#, true), (#"(app.operatingSystemVersion -ne "14.2")"#, false),
      (#"(app.osVersion -startsWith "14.")"#, true), (#"(app.osVersion -eq "14.2.0")"#, false),
      (#"(app.osVersion -eq "1") and (app.osVersion -eq "1") or (app.deviceModel -contains "pixel")"#, true),
      (#"(app.deviceModel -contains "pixel") or (app.osVersion -eq "1") and (app.osVersion -eq "1")"#, true),
      (#"((app.deviceModel -contains "pixel") or (app.osVersion -eq "1")) and (app.osVersion -eq "1")"#, false),
      (#"(app.deviceModel -contains "pixel") -AND (app.osVersion -eq "14.2") -or (app.osVersion -eq "1")"#, true),
      ("(app.deviceModel\t-contains\n\"pixel\")", true),
    ])
  func matches(rule: String, isMatch: Bool) throws {
    #expect(try FilterRuleParser.parse(rule).result(on: Self.phone) == (isMatch ? .matches : .differs))
  }

  @Test(
    "A filter rule on an unreported property is undecided unless the rest of the rule decides",
    arguments: [
      (#"(app.deviceModel -eq "x")"#, nil), (#"(app.deviceModel -ne "x")"#, nil),
      (#"(app.deviceModel -notIn ["x"])"#, nil),
      (#"(app.operatingSystemVersion -lt 99)"#, nil), (#"(app.osVersion -notContains "x")"#, nil),
      (#"(app.deviceModel -eq Null)"#, nil), (#"(app.deviceModel -ne Null)"#, nil),
      (#"(app.operatingSystemVersion -ne Null)"#, nil), (#"(app.osVersion -eq Null)"#, nil),
      (#"(app.deviceModel -eq "x") and (app.deviceManagementType -eq "Managed")"#, false),
      (#"(app.deviceModel -eq "x") or (app.deviceManagementType -eq "Unmanaged")"#, true),
      (#"(app.deviceModel -eq "x") or (app.deviceManagementType -eq "Managed")"#, nil),
      (#"(app.deviceModel -eq "x") and (app.deviceManagementType -eq "Unmanaged")"#, nil),
    ] as [(String, Bool?)])
  func unreported(rule: String, isMatch: Bool?) throws {
    let result = try FilterRuleParser.parse(rule).result(on: FilterDevice(managementType: .unmanaged))
    if let isMatch {
      #expect(result == (isMatch ? .matches : .differs))
    } else {
      guard case .unknown(let reason) = result else { return #expect(Bool(false), "\(result)") }
      #expect(reason.hasSuffix("is not reported"))
    }
  }

  @Test(
    "A filter rule on a kind of Android Enterprise is undecided for plain Android Enterprise",
    arguments: ["-eq", "-ne"])
  func androidEnterprise(comparison: String) throws {
    let rule = try FilterRuleParser.parse(#"(app.deviceManagementType \#(comparison) "Personally-owned work profile")"#)
    guard case .unknown = rule.result(on: FilterDevice(managementType: .androidEnterprise)) else {
      return #expect(Bool(false))
    }
    let isEqual = comparison == "-eq"
    #expect(rule.result(on: FilterDevice(managementType: .personalWorkProfile)) == (isEqual ? .matches : .differs))
    #expect(rule.result(on: FilterDevice(managementType: .fullyManaged)) == (isEqual ? .differs : .matches))
  }

  @Test(
    "A filter rule accepts both names of the shared mode, Azure AD and Entra ID", arguments: ["Azure AD", "Entra ID"])
  func sharedMode(name: String) throws {
    let rule = try FilterRuleParser.parse(
      #"(app.deviceManagementType -eq "Corporate-owned dedicated devices with \#(name) Shared mode")"#)
    #expect(rule.result(on: FilterDevice(managementType: .dedicatedWithSharedMode)) == .matches)
  }

  @Test(
    "An error in a filter rule names the column and the cause",
    arguments: [
      ("", 1, "a property"), ("   ", 4, "the end of the rule"), ("()", 2, "a property"),
      (#"(device.model -eq "x")"#, 2, "managed devices"), (#"(user.name -eq "x")"#, 2, "app."),
      (#"(app.deviceModle -eq "x")"#, 2, "did you mean app.deviceModel?"), (#"(app.category -eq "x")"#, 2, "not known"),
      (#"(app.deviceManagementType -contains "Unm")"#, 27, "-eq, -ne"), (#"(app.deviceModel = "x")"#, 18, "unexpected"),
      (#"(app.deviceModel eq "x")"#, 18, "needs one of the operators"), (#"(app.deviceModel -eq "x""#, 25, "\")\""),
      (#"(app.deviceManagementType -eq "Unmanagd")"#, 31, "did you mean Unmanaged?"),
      (#"(app.deviceModel -eq "x)"#, 22, "no closing quotation mark"),
      (#"(app.deviceModel -eq "")"#, 22, "value is empty"),
      (#"(app.operatingSystemVersion -gt "17.x")"#, 33, "not a version"), (#"(app.deviceModel -in "x")"#, 22, "a list"),
      (#"(app.deviceModel -in [])"#, 23, "a value"), (#"(app.deviceModel -in ["x",])"#, 27, "a value"),
      (#"(app.deviceModel -in ["x" "y"])"#, 27, "\"]\""), (#"(app.deviceModel -startsWith Null) x"#, 36, "the end"),
      (#"not (app.deviceModel -eq "x")"#, 1, "a property"),
      (#"(app.deviceModel -eq "x") (app.deviceModel -eq "y")"#, 27, "and"),
      (#"(app.deviceModel -eq “x”)"#, 22, "unexpected"), (#"(app.deviceModel -eq "x") and"#, 30, "the end of the rule"),
      (String(repeating: "(", count: 60), 51, "nest deeper"),
    ])
  func faults(rule: String, column: Int, reason: String) {
    do throws(FilterRuleFault) {
      _ = try FilterRuleParser.parse(rule)
      #expect(Bool(false), "no error")
    } catch {
      #expect(error.column == column, "\(error)")
      #expect(error.reason.contains(reason), "\(error)")
    }
  }
}
