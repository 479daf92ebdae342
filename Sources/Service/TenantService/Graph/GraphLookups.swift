import JSON
import Model
import Tenancy

/// What administrators' tools look up beside the policies.
extension GraphRoute {
  static let lookups: [GraphRoute] = [
    GraphRoute("deviceManagement/roleScopeTags") { call, _ in
      try call.lookUp(call.scopeTags, "deviceManagement/roleScopeTags", .scopeTag)
    },
    GraphRoute("deviceManagement/roleScopeTags/*") { call, keys in
      try call.lookUp(keys[0], in: call.scopeTags, "deviceManagement/roleScopeTags", .scopeTag)
    },
    GraphRoute("deviceManagement/assignmentFilters") { call, _ in
      try call.lookUp(call.filters, "deviceManagement/assignmentFilters", .filter)
    },
    GraphRoute("deviceManagement/assignmentFilters/*") { call, keys in
      try call.lookUp(keys[0], in: call.filters, "deviceManagement/assignmentFilters", .filter)
    },
    // Those are for managed devices, which no tenant here has.
    GraphRoute("deviceAppManagement/mobileAppConfigurations") { call, _ in
      let query = try call.query(of: .appConfiguration, expanding: ["assignments"])
      return try call.page([], "deviceAppManagement/mobileAppConfigurations", query)
    },
    GraphRoute("$metadata") { call, _ in
      try call.checkNoQuery()
      return .schema(GraphMetadata.text(isBeta: call.isBeta))
    },
  ]
}

extension GraphCall {
  fileprivate func lookUp(
    _ objects: [JSONObject], _ context: String, _ properties: GraphProperties
  ) throws(GraphError) -> GraphAnswer {
    try page(objects, context, try query(of: properties.adding(objects)))
  }

  fileprivate func lookUp(
    _ key: String, in objects: [JSONObject], _ context: String, _ properties: GraphProperties
  ) throws(GraphError) -> GraphAnswer {
    let found = objects.first { $0["id"]?.stringValue?.lowercasedASCII == key.lowercasedASCII }
    guard let found else { throw .notFound("There is no \(key.prefix(100)) among \(context).") }
    return item(found, context, try query(of: properties.adding(objects), Self.itemOptions))
  }

  /// The tag that every tenant has, and those that policies name.
  fileprivate var scopeTags: [JSONObject] {
    let named = tenant.policies.flatMap { $0.object["roleScopeTagIds"]?.strings ?? [] }
    return Set(named + ["0"]).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { id in
      [
        "id": .string(id), "displayName": .string(id == "0" ? "Default" : id), "description": "",
        "isBuiltIn": .bool(id == "0"),
      ]
    }
  }

  fileprivate var filters: [JSONObject] {
    tenant.snapshot.assignmentFilters.map { filter in
      JSONObject(filter.members.filter { !$0.name.isAnnotation }.map { ($0.name, $0.value) })
    }
  }
}
