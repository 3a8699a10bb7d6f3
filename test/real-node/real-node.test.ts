import { afterAll, beforeAll, beforeEach, describe, onTestFailed } from "vitest";
import { Program } from "../../src/program/cli/testing/program.ts";
import { defaultImage } from "../../src/program/version.ts";
import { findAssets } from "./harness/assets.ts";
import { Figures, versionsOf } from "./harness/figures.ts";
import { type NodeState, readNodeState, restoreNodeState } from "./harness/node-state.ts";
import { RealCluster } from "./harness/real-cluster.ts";
import type { Stage } from "./harness/stage.ts";
import { awayStories } from "./stories/away.ts";
import { beforeKubeletStory } from "./stories/before-kubelet.ts";
import { consoleStory } from "./stories/console.ts";
import { exclusiveCpuStory } from "./stories/exclusive-cpus.ts";
import { installStory } from "./stories/install.ts";
import { killStories } from "./stories/kill.ts";
import { partitioningStory } from "./stories/partitioning.ts";
import { type Footprint, footprint, uninstallStories } from "./stories/uninstall.ts";
import { plainHostStories } from "./stories/plain-host.ts";
import { upgradeStory } from "./stories/upgrade.ts";
import { usageStory } from "./stories/usage.ts";
import { webhookStory } from "./stories/webhook.ts";

const assets = findAssets(process.env);
if (assets.type === "missing") console.log(`not run: Attune on a real node (${assets.reason})`);

describe.skipIf(assets.type === "missing")("Attune on a real node", { timeout: 300_000 }, () => {
  const figures = new Figures();
  let machineBefore: NodeState;
  let stage: Stage;
  let before: Footprint;

  beforeAll(async () => {
    if (assets.type === "missing") return;
    machineBefore = readNodeState();
    const began = performance.now();
    const [attune, cluster] = await Promise.all([Program.build(), RealCluster.start(assets.folder)]);
    stage = { attune, cluster, figures, image: defaultImage };
    cluster.importImage(assets.image);
    figures.addSeconds("cluster of one node, until the node is ready", began);
    before = footprint(cluster);
  }, 300_000);
  afterAll(async () => {
    try {
      await stage?.attune.remove();
      await stage?.cluster.stop();
    } finally {
      if (machineBefore) restoreNodeState(machineBefore);
    }
    const { ATTUNE_NODE_FIGURES: path } = process.env;
    if (path && assets.type === "found") figures.write(path, versionsOf(assets.folder));
  });

  beforeEach(() => onTestFailed(() => console.log(stage.cluster.report())));

  const current = (): Stage => stage;
  installStory(current);
  consoleStory(current);
  webhookStory(current);
  partitioningStory(current);
  usageStory(current);
  killStories(current);
  awayStories(current);
  exclusiveCpuStory(current);
  beforeKubeletStory(current);
  plainHostStories(current);
  upgradeStory(current);
  uninstallStories(current, () => before);
});
