import type { NodePart } from "../../../../../console/protocol/node.ts";
import type { NodeStory } from "../../../../domain/fleet/node-story.ts";
import type { ProfileText } from "../../../../domain/node-tuning/api.ts";
import { fileOf } from "../../../../domain/node-tuning/profile-texts.ts";
import { baseTexts } from "../../../../language/tuned/profiles/base-profiles.ts";

/** An explanation in parts: a setting that changes is sent alone. `own`: the texts that the node gets. */
export function storyRows(story: NodeStory, own: readonly ProfileText[]): [string, NodePart][] {
  const { rules, tuneds, chain, settings, boot, ...about } = story;
  return [
    ["about", { about }],
    ["rules", { rules: { rules, tuneds } }],
    ["chain", { chain }],
    ...(boot ? [["boot", { boot }] satisfies [string, NodePart]] : []),
    ...settings.map((setting, at): [string, NodePart] => [
      `setting/${JSON.stringify([setting.unit, setting.option])}`,
      { setting: { ...setting, at } },
    ]),
    ...chain.flatMap(({ profile, file }): [string, NodePart][] => {
      const found = own.find(({ name }) => fileOf(name) === file)?.data ?? baseTexts().get(profile);
      return found === undefined ? [] : [[`text/${file}`, { text: found }]];
    }),
  ];
}
