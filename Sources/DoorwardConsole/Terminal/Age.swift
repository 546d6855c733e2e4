package import XMPPCore

/// The time between two moments in words, such as `4 s`, `12 min`, `3 h`, `2 d`, `5 w`.
///
/// A moment to come reads as `0 s`, since only clocks that differ make one.
package func age(of moment: Timestamp, at now: Timestamp) -> String {
    let (difference, overflow) = now.milliseconds.subtractingReportingOverflow(moment.milliseconds)
    let seconds = overflow ? 0 : max(0, difference / 1000)
    return switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    case ..<1_814_400: "\(seconds / 86_400) d"
    default: "\(seconds / 604_800) w"
    }
}
