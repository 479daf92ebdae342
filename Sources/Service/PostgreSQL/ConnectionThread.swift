#if TenantService
  import Support

  /// The thread of one connection: connects, again after a loss, and runs what waits in the pool.
  struct ConnectionThread {
    let pool: ConnectionPool
    let index: Int
    let wakeUp: EventDescriptor

    func run() {
      var backOff = BackOff.ofConnections
      repeat {
        do throws(PostgreSQLFailure) {
          let connection = try PostgreSQLConnection(pool.options)
          backOff = BackOff.ofConnections
          pool.connected(index)
          serve(connection)
          pool.lost(index, connection.loss ?? .lost("the database is closed"))
        } catch {
          pool.lost(index, error)
          if !pool.isClosed { wakeUp.wait(atMost: backOff.next()) }
        }
      } while !pool.isClosed
    }

    /// Returns when the connection is lost, or the pool is closed and empty.
    private func serve(_ connection: PostgreSQLConnection) {
      while connection.loss == nil {
        guard let job = pool.next(index) else {
          if pool.isOver { return }
          wait(connection)
          continue
        }
        switch job {
        case .alone(let body, let kind): connection.run(body, kind)
        case .group(let bodies): connection.run(group: bodies)
        }
        pool.finished(job)
      }
    }

    /// Returns when there is something to do. What a server sends to an idle connection is its farewell, so that a call
    /// does not have to find out.
    private func wait(_ connection: PostgreSQLConnection) {
      if wakeUp.wait(orFor: connection.descriptor) { _ = connection.takeNotices() }
    }
  }
#endif
