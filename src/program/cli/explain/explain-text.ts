import { findCondition } from "../../../language/object/condition.ts";
import type { NodeStory } from "../../../domain/fleet/node-story.ts";
import type { NodeExplanation } from "../../../domain/node-tuning/explain/explain-node.ts";
import type { ProfileOfNode } from "../../../domain/performance-profile/of-node.ts";
import { updateText } from "./update-text.ts";
import { bootText } from "./boot-text.ts";
import { hardwareText } from "./hardware-text.ts";
import { chainText, ruleName, ruleText, tunedText } from "./profile-text.ts";
import { settingText } from "./setting-text.ts";
import { describeProbe } from "../../../language/tuned/probe.ts";
import { type Cell, linesText } from "../terminal/text-table.ts";
import { type Colours, printable } from "../terminal/terminal.ts";

type Paint = (text: string) => string;
/** Of the terminal. */
type Columns = number | undefined;

/** An explanation as text. `wide`: with idle settings. `columns`: of the terminal. */
export function explanationText(
  explanation: NodeStory,
  colours: Colours,
  { wide = false, columns }: { readonly wide?: boolean; readonly columns?: number | undefined } = {},
): string {
  const { rules, chain, boot } = explanation;
  const settings = explanation.settings.filter(({ state }) => wide || state !== "idle");
  const parts = [
    head(explanation, colours, columns),
    // A single one is the reason in the head.
    section(
      "Rules, in the order in which they are tried",
      rules.length > 1 ? ruleText(rules, colours, columns) : "",
      colours,
    ),
    section("Conditions of Tuneds", tunedText(explanation, colours, columns), colours),
    section("Profiles, each overriding those above it", chainText(chain, colours, columns), colours),
    section("Settings", settingText(settings, colours, columns), colours),
    section("Boot arguments", boot ? bootText(boot, colours, columns) : "", colours),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function section(title: string, text: string, { bold }: Colours): string {
  return text === "" ? "" : `${bold(title)}\n${text}`;
}

function head(explanation: NodeStory, colours: Colours, columns: Columns): string {
  const { bold, yellow, red } = colours;
  const { node, profile, rules, obstacles, pools, deferred, hardware, unresolved, warnings } = explanation;
  const chosen = rules.find(({ outcome }) => outcome === "chosen");
  const rows: Cell[][] = [
    ["Node:", { text: printable(node), paint: bold }],
    ["Profile:", profile === undefined ? "none" : { text: printable(profile), paint: bold }],
  ];
  if (chosen) rows.push(["Because:", printable(`${ruleName(chosen)}, priority ${chosen.priority}: ${chosen.because}`)]);
  rows.push(...lines("But:", obstacles, red));
  const ties = rules.filter(({ outcome }) => outcome === "tied").map((rule) => `${ruleName(rule)} (${rule.profile})`);
  rows.push(...lines("Tied with:", ties, yellow));
  if (pools.length > 0) rows.push(["Pools:", printable(pools.join(", "))]);
  for (const [index, { text, isSettled }] of updateText(explanation.machineConfig).entries())
    rows.push([index === 0 ? "Config:" : "", { text: printable(text), paint: isSettled ? colours.green : yellow }]);
  rows.push(...lines("Waits:", explanation.waits ?? [], yellow));
  rows.push(...lines("Findings:", explanation.findings ?? [], colours.dim));
  rows.push(...performanceRows(explanation.performanceProfiles ?? [], colours));
  if (deferred) rows.push(["Deferred:", { text: `${deferred}: changes wait for the next restart`, paint: yellow }]);
  rows.push(...reportRows(explanation, colours));
  if (hardware) rows.push(...lines("Hardware:", hardwareText(hardware), colours.dim));
  rows.push(...lines("Warnings:", warnings, yellow));
  rows.push(...lines("Unresolved:", unresolved.map(describeProbe), yellow));
  return linesText(rows, columns);
}

function lines(title: string, texts: readonly string[], paint: Paint): Cell[][] {
  return texts.map((text, index) => [index === 0 ? title : "", { text: printable(text), paint }]);
}

function performanceRows(profiles: readonly ProfileOfNode[], { green, red, yellow }: Colours): Cell[][] {
  return profiles.map(({ name, state, reason, message }, at) => {
    const why = [reason === "" || state === "available" ? "" : ` (${reason})`, message === "" ? "" : `: ${message}`];
    const paint = state === "available" ? green : state === "degraded" ? red : yellow;
    const text = printable(`PerformanceProfile ${name} is ${state}${why.join("")}`);
    return [at === 0 ? "Performance:" : "", { text, paint }];
  });
}

function reportRows({ reported, boot, notReady }: NodeExplanation, { green, red, yellow, dim }: Colours): Cell[][] {
  if (!reported) return [["Reported:", { text: "nothing yet", paint: yellow }]];
  const applied = findCondition(reported.conditions, "Applied");
  const degraded = findCondition(reported.conditions, "Degraded");
  const but = [
    ...(reported.current ? [] : ["which is not the profile it should have now"]),
    ...(boot && boot.pending.length > 0
      ? [`except for boot arguments${boot.reached ? ", which need a restart" : ", which do not reach the node"}`]
      : []),
  ];
  const inForce = `${reported.profile || "no profile"} ${notReady ? "was in force before the node became NotReady" : "is in force"}`;
  return [
    [
      "Reported:",
      { text: printable([inForce, ...but].join(", ")), paint: notReady || but.length > 0 ? yellow : green },
    ],
    ...[applied, degraded].flatMap((condition): Cell[][] => {
      if (!condition) return [];
      const bad = condition === applied ? condition.status !== "True" : condition.status === "True";
      const text = `${condition.type}=${condition.status} (${condition.reason}): ${condition.message}`;
      return [["", { text: printable(text), paint: bad ? red : dim }]];
    }),
  ];
}
