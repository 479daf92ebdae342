import Model

/// The document at `$metadata`: the types of policies as OData describes them (CSDL), from the table of settings. Of other
/// types, it has only what policies name.
enum GraphMetadata {
  static func text(isBeta: Bool) -> String { isBeta ? beta : first }

  private static let first = document(isBeta: false)
  private static let beta = document(isBeta: true)

  private static func document(isBeta: Bool) -> String {
    let lists = PolicyList.allCases.filter { isBeta || !$0.isBeta }
    let types = lists.map { entity($0, isBeta: isBeta) }
    let sets = lists.map { ($0.rawValue, "graph." + $0.typeName) } + [(GraphCall.allPolicies, "graph.managedAppPolicy")]
    let management = sets.map {
      #"<NavigationProperty Name="\#($0.0)" Type="Collection(\#($0.1))" ContainsTarget="true"/>"#
    }
    return #"""
      <?xml version="1.0" encoding="utf-8"?>
      <edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
      <Schema Namespace="microsoft.graph" Alias="graph" xmlns="http://docs.oasis-open.org/odata/ns/edm">
      \#((enumerations(lists) + fixed + types).joined(separator: "\n"))
      <EntityType Name="deviceAppManagement" BaseType="graph.entity">
      \#(management.joined(separator: "\n"))
      </EntityType>
      <EntityContainer Name="GraphService"><Singleton Name="deviceAppManagement" Type="graph.deviceAppManagement"/></EntityContainer>
      </Schema>
      </edmx:DataServices></edmx:Edmx>

      """#
  }

  private static let fixed = [
    #"<EntityType Name="entity" Abstract="true"><Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.String" Nullable="false"/></EntityType>"#,
    #"<EntityType Name="managedAppPolicy" BaseType="graph.entity" Abstract="true"/>"#,
    #"<ComplexType Name="keyValuePair"><Property Name="name" Type="Edm.String"/><Property Name="value" Type="Edm.String"/></ComplexType>"#,
    #"<ComplexType Name="mobileAppIdentifier" Abstract="true"/>"#,
    #"<EntityType Name="managedMobileApp" BaseType="graph.entity"><Property Name="mobileAppIdentifier" Type="graph.mobileAppIdentifier"/><Property Name="version" Type="Edm.String"/></EntityType>"#,
    #"<ComplexType Name="deviceAndAppManagementAssignmentTarget" Abstract="true"/>"#,
    #"<EntityType Name="targetedManagedAppPolicyAssignment" BaseType="graph.entity"><Property Name="target" Type="graph.deviceAndAppManagementAssignmentTarget"/></EntityType>"#,
    #"<EntityType Name="managedAppPolicyDeploymentSummary" BaseType="graph.entity"><Property Name="displayName" Type="Edm.String"/><Property Name="configurationDeployedUserCount" Type="Edm.Int32" Nullable="false"/><Property Name="lastRefreshTime" Type="Edm.DateTimeOffset" Nullable="false"/><Property Name="version" Type="Edm.String"/></EntityType>"#,
    #"<EntityType Name="deviceManagementConfigurationSetting" BaseType="graph.entity" OpenType="true"/>"#,
  ]

  private static func entity(_ list: PolicyList, isBeta: Bool) -> String {
    let members = GraphPolicyType[list].members.filter { (isBeta || !$0.isBeta) && $0.name != "id" }
    let lines = members.map { member -> String in
      if case .navigation = member.type {
        return #"<NavigationProperty Name="\#(member.name)" Type="\#(member.schemaType)" ContainsTarget="true"/>"#
      }
      return #"<Property Name="\#(member.name)" Type="\#(member.schemaType)"/>"#
    }
    return #"<EntityType Name="\#(list.typeName)" BaseType="graph.managedAppPolicy">"# + "\n"
      + lines.joined(separator: "\n") + "\n</EntityType>"
  }

  /// The enumerations that members have, each once, with all words that any of them accepts.
  private static func enumerations(_ lists: [PolicyList]) -> [String] {
    var words: [String: [String]] = [:]
    var flags: Set<String> = []
    for member in lists.flatMap({ GraphPolicyType[$0].members }) {
      let name = member.schemaType.split(whereSeparator: { ".()".contains($0) }).last.map(String.init) ?? ""
      switch member.type {
      case .word(let found), .words(let found): words[name, default: []] += found
      case .flags(let found, _):
        words[name, default: []] += found
        flags.insert(name)
      default: continue
      }
    }
    return words.sorted { $0.key < $1.key }.map { name, found in
      var seen: Set<String> = []
      let members = found.filter { seen.insert($0).inserted }.map { #"<Member Name="\#($0)"/>"# }
      let kind = flags.contains(name) ? #" IsFlags="true""# : ""
      return #"<EnumType Name="\#(name)"\#(kind)>"# + members.joined() + "</EnumType>"
    }
  }
}
