/// Rows under headings, fitted to a width.
package struct Table {
    /// One column.
    package struct Column {
        package enum Kind {
            /// Cut where the table is too wide.
            case words
            case number
            /// Never cut: a part of an address is another address.
            case address
        }

        var heading: TerminalText
        var kind: Kind
        /// No narrower than this when the table must shrink.
        var least: Int

        package init(_ heading: TerminalText, _ kind: Kind = .words, least: Int = 6) {
            self.heading = heading
            self.kind = kind
            self.least = least
        }
    }

    /// A cell that is wider makes its own line longer, and not every other one too.
    private static let widestColumn = 64

    private var columns: [Column]
    private var rows: [[String]] = []
    private var styles: [[TerminalText.Style]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row of raw values: they are made safe when the table is drawn.
    package mutating func add(_ cells: [String], styles rowStyles: [Int: TerminalText.Style] = [:]) {
        let filled = columns.indices.map { $0 < cells.count ? cells[$0] : "" }
        rows.append(filled)
        styles.append(columns.indices.map { rowStyles[$0] ?? .plain })
    }

    /// The lines of the table.
    ///
    /// - Parameter width: The columns of the terminal, or `Output.unbounded`. The widest columns of words shrink first,
    ///   none below its least; with long addresses the lines are longer than the terminal is wide, and it wraps them.
    /// - Returns: The headings and the rows.
    package func lines(width: Int) -> [TerminalText] {
        let cells = rows.map { row in row.map { TerminalText($0) } }
        var widths = columns.indices.map { index in
            cells.reduce(columns[index].heading.columns) { max($0, min(Self.widestColumn, $1[index].columns)) }
        }
        let gaps = 2 * (widths.count - 1)
        while widths.reduce(gaps, +) > width {
            let shrinkable = widths.indices.filter { columns[$0].kind == .words && widths[$0] > columns[$0].least }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        let heading = line(columns.indices.map { columns[$0].heading.styled(.dim) }, widths)
        return [heading]
            + rows.indices.map { row in
                line(
                    columns.indices.map { index in
                        let isCut = columns[index].kind == .words && width < Output.unbounded
                        let cell = isCut ? cut(rows[row][index], to: widths[index]) : cells[row][index]
                        return cell.styled(styles[row][index])
                    },
                    widths
                )
            }
    }

    private func line(_ cells: [TerminalText], _ widths: [Int]) -> TerminalText {
        var line: TerminalText = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let isLast = index == cells.count - 1
            let isNumber = columns[index].kind == .number
            line += isLast && !isNumber ? cell : cell.padded(to: widths[index], right: isNumber)
        }
        return line
    }
}
