import Policy

/// What a class of users gets, and the places where it gets it.
package struct OutcomeRow: Sendable {
  /// A policy or a configuration.
  package struct Document: Hashable, Sendable {
    package let id: String
    package let displayName: String
  }

  package let apps: [TenantShare.App]
  package fileprivate(set) var devices: [TenantDevice]
  package let policies: [Document]
  package let configurations: [Document]
  /// Default policies of which only the app configuration counts.
  package let hiddenDefaults: [Document]
}

extension TenantOutcomes {
  /// The rows of a class, in the order of their first places. Devices in which the same apps give the same share a row.
  package func rows(of found: Class) -> [OutcomeRow] {
    let apps = appsByResult(of: found)
    return results(of: found).flatMap { result -> [OutcomeRow] in
      var rows: [OutcomeRow] = []
      for (number, device) in places.devices.enumerated() {
        guard let apps = apps[result]?[number] else { continue }
        if let index = rows.firstIndex(where: { $0.apps == apps }) {
          rows[index].devices.append(device)
        } else {
          rows.append(row(of: result, apps, device))
        }
      }
      return rows
    }
  }

  /// The apps in which the users of a class get each result, by the number of the device.
  private func appsByResult(of found: Class) -> [Int: [Int: [TenantShare.App]]] {
    var apps: [Int: [Int: [TenantShare.App]]] = [:]
    for place in 0..<places.count {
      let (app, device) = place.quotientAndRemainder(dividingBy: places.devices.count)
      apps[result(of: found, at: place), default: [:]][device, default: []].append(places.apps[app])
    }
    return apps
  }

  private func row(of result: Int, _ apps: [TenantShare.App], _ device: TenantDevice) -> OutcomeRow {
    func named(_ policies: [PolicyDocument]) -> [OutcomeRow.Document] {
      policies.map { OutcomeRow.Document(id: $0.id, displayName: $0.displayName) }
    }
    return OutcomeRow(
      apps: apps, devices: [device], policies: named(policies(of: result)),
      configurations: configurations(of: result).map { OutcomeRow.Document(id: $0.id, displayName: $0.displayName) },
      hiddenDefaults: named(hiddenDefaults(of: result)))
  }
}
