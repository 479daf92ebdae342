import HTTPServer
import NIOCore
import NIOHTTP1
import Support

/// A response that goes on: the events or the log as server-sent events, with signs of life in between. The last
/// response of a connection.
final class EventStream: HTTPWork {
  typealias Events = any AsyncSequence<StreamedEvent, Never> & Sendable

  private let task: Task<Void, Never>

  /// Sends what `open` returns for the id that the client has seen last. `nil` if the server is shutting down.
  init?(
    _ head: HTTPRequestHead, on connection: HTTPConnection, heartbeat: TimeAmount,
    _ open: @escaping @Sendable (String?) async -> Events?
  ) {
    guard let context = connection.context, !connection.isClosing else { return nil }
    let lastEventID = head.headers.first(name: "last-event-id")
    let response = connection.responseHead(
      .ok, [("Content-Type", "text/event-stream")] + BridgeApplication.commonFields, isLast: true, head.version)
    let (channel, handle) = (context.channel, connection.handle)
    task = Task(executorPreference: BlockingExecutor.shared) {
      // Opened before the client sees the response, so that it misses nothing that it causes afterwards.
      let events = await open(lastEventID)
      if (try? await channel.writeAndFlush(HTTPServerResponsePart.head(response))) != nil {
        handle.execute { EventStream.beat($0, heartbeat) }
        if let events { await sendEvents(events, to: channel) }
      }
      handle.execute { $0.finishStream() }
    }
  }

  static func check(_ head: HTTPRequestHead) throws(HTTPRefusal) {
    guard head.headers.first(name: "last-event-id")?.utf8.count ?? 0 <= StreamedEvent.maximumIDBytes else {
      throw .badRequest("Last-Event-ID is longer than \(StreamedEvent.maximumIDBytes) bytes.")
    }
  }

  func clientDidEnd() { task.cancel() }

  func serverDidEnd() { task.cancel() }

  func abandon() -> Bool {
    task.cancel()
    return false
  }

  /// Sends a comment, so that a dead peer is noticed.
  fileprivate static func beat(_ connection: HTTPConnection, _ interval: TimeAmount) {
    guard connection.isWorking else { return }
    connection.startTimer(interval) { connection in
      if connection.context?.channel.isWritable == true {
        connection.write(.body(.byteBuffer(ByteBuffer(string: ":\n\n"))), flushes: true)
      }
      beat(connection, interval)
    }
  }
}

/// Returns at the end of the events, or when the channel is closed.
private func sendEvents(_ events: EventStream.Events, to channel: any Channel) async {
  await sendAll(events, to: channel)
}

private func sendAll<Events: AsyncSequence<StreamedEvent, Never>>(_ events: Events, to channel: any Channel) async {
  for await event in events {
    let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: event.text)))
    guard (try? await channel.writeAndFlush(part)) != nil else { return }
  }
}
