#if canImport(SwiftUI)
  import SwiftUI

  #if canImport(Network)
    import Network
  #endif

  /// A view of a list, with what the app around it reports to the list.
  struct PagedView<Item: Identifiable & Decodable & Sendable, Content: View>: View
  where Item.ID: Decodable & Sendable {
    @Environment(\.scenePhase) private var phase
    let list: PagedList<Item>
    let content: Content

    var body: some View {
      content
        .refreshable { [list] in _ = await list.refresh() }
        .onAppear { [list] in list.start() }
        .onChange(of: phase) { [list] old, now in
          if now == .background { Task { await list.flush() } }
          guard now == .active, old == .background || old == .inactive else { return }
          Task { await list.cameBack() }
        }
        .task { [list] in await list.retryWhenTheNetworkIsBack() }
    }
  }

  extension PagedList {
    /// Tries again what failed, each time the network is back, until the task is cancelled.
    fileprivate func retryWhenTheNetworkIsBack() async {
      #if canImport(Network)
        var wasAway = false
        for await path in NWPathMonitor() {
          if path.status == .satisfied, wasAway { retry() }
          wasAway = path.status != .satisfied
        }
      #endif
    }
  }
#endif
