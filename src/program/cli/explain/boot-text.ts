import { type BootExplanation, withoutArguments } from "../../../domain/node-tuning/explain/boot.ts";
import { equal } from "../../../language/object/json.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { type Cell, textTable } from "../terminal/text-table.ts";
import { textWidth, wrapText } from "../terminal/wrap.ts";

const indent = "Configured:   ".length;

/** The arguments are printed once, and other rows say how they differ: a node may have hundreds of characters of them. */
export function bootText(boot: BootExplanation, colours: Colours, columns: number | undefined): string {
  const { green, red, yellow, dim } = colours;
  const { wanted, reported, pool, machineConfig, pending, reached } = boot;
  const width = textWidth(columns, indent);
  const row = (title: string, text: string, paint: (text: string) => string = String): Cell[][] =>
    wrapText(printable(text), width).map((line, at) => [at === 0 ? title : "", { text: line, paint }]);
  const words = (list: readonly string[]): string =>
    list.length === 0 ? "none" : equal(list, wanted) ? "all of them" : list.join(" ");

  const rows = row("Wanted:", wanted.join(" ") || "none");
  if (reported !== undefined) rows.push(...row("Reported:", words(wordsOf(reported))));
  if (pool !== undefined) rows.push(...row("Pool:", pool));
  if (machineConfig)
    rows.push(...row("Configured:", `${words(machineConfig.kernelArguments)} (MachineConfig ${machineConfig.name})`));
  if (reported)
    rows.push(
      ...(pending.length > 0
        ? row(
            "Running:",
            `without ${equal(pending, wanted) ? "any of them" : pending.join(" ")}${reached ? ", until the node restarts" : ""}`,
            yellow,
          )
        : row("Running:", "with all of them", green)),
    );
  rows.push(...row("Reaches it:", reached ? "yes" : "no", reached ? green : red));
  rows.push(...row("", withoutArguments(boot), reached ? dim : red));
  const [first = [], ...others] = rows;
  return textTable(first, others);
}

function wordsOf(line: string): string[] {
  return line.split(" ").filter((word) => word !== "");
}
