import type { IrqbalanceFacts } from "../host-facts.ts";
import type { PerftuneRefusal, PerftuneStep } from "../plan.ts";
import { optionLine, textWithLine } from "./option-line.ts";

export interface IrqBans {
  readonly irqbalance: IrqbalanceFacts | undefined;
  /** IRQs that the run places itself. */
  readonly wanted: readonly number[];
  /** Whether an IRQ that an earlier run banned, and this one does not want banned, can be balanced again. */
  readonly isStale: (irq: number) => boolean;
}

/**
 * irqbalance moves IRQs to other CPUs, except for those that it is told to leave alone. Bans of the user stay; ours go when they
 * are stale, as after the queues of a NIC have changed.
 */
export function banIrqs({ irqbalance, wanted, isStale }: IrqBans): readonly PerftuneStep[] | PerftuneRefusal {
  const wantedSet = new Set(wanted);
  const ours = irqbalance?.bannedByUs ?? [];
  const stale = new Set(ours.filter((irq) => !wantedSet.has(irq) && isStale(irq)));
  if (wanted.length === 0 && stale.size === 0) return [];
  if (!irqbalance) return [note("irqbalance is not running")];
  const { config } = irqbalance;
  if (!config)
    return [
      note("irqbalance is running, and its config file was not found: ban the IRQs there, or it moves them again"),
    ];
  const key = optionKey(irqbalance, config.path);
  const option = optionLine(config.text, key);
  if (option.type === "unclear") return { type: "refused", problem: `${config.path}: ${option.problem}`, exitCode: 1 };

  const kept = option.value.replace(ban, (word, irq: string) => (stale.has(Number(irq)) ? "" : word));
  const present = new Set(Array.from(kept.matchAll(ban), ([, irq]) => Number(irq)));
  const added = [...wantedSet].filter((irq) => !present.has(irq));
  const { quote } = option;
  const line = `${key}=${quote}${kept}${added.map((irq) => ` --banirq=${irq}`).join("")}${quote}`;
  return [
    note(`irqbalance leaves these IRQs alone: ${[...wantedSet].join(", ")}`),
    {
      type: "ban-irqs",
      path: config.path,
      text: textWithLine(config.text, key, line),
      key,
      line,
      backup: `${config.path}.scylla.orig`,
      hasBackup: irqbalance.hasBackup,
      irqs: [...new Set([...ours.filter((irq) => !stale.has(irq)), ...added])],
    },
    ...restart(irqbalance, config.path),
  ];
}

const ban = /(?:^|\s+)--banirq=([0-9]{1,9})(?=\s|$)/g;

const gentooConfig = "/etc/conf.d/irqbalance";

/** Distributions differ in the name of the option; some releases of Debian and Ubuntu have a unit that reads the old one. */
function optionKey({ hasUnit, unitText = "" }: IrqbalanceFacts, path: string): string {
  if (path === gentooConfig) return "IRQBALANCE_OPTS";
  const readsOld = /\$\{?OPTIONS\b/.test(unitText) && !unitText.includes("IRQBALANCE_ARGS");
  return hasUnit && !readsOld ? "IRQBALANCE_ARGS" : "OPTIONS";
}

function restart({ hasUnit, isSystemd }: IrqbalanceFacts, path: string): PerftuneStep[] {
  const bySystemd = path === gentooConfig ? isSystemd : hasUnit;
  return [
    note(`irqbalance is restarted by ${bySystemd ? "systemctl" : "its init script"}`),
    {
      type: "run",
      argv: bySystemd ? ["systemctl", "try-restart", "irqbalance"] : ["/etc/init.d/irqbalance", "restart"],
    },
  ];
}

function note(text: string): PerftuneStep {
  return { type: "note", text };
}
