import { afterAll, beforeAll, beforeEach, describe, onTestFailed } from "vitest";
import { whyNoMachine } from "./harness/find-emulator.ts";
import { type Stage, startStage } from "./harness/stage.ts";
import { beforeKubeletStories } from "./stories/before-kubelet.ts";
import { hardwareStory } from "./stories/hardware.ts";
import { machineConfigStories } from "./stories/machine-config.ts";
import { machineStories } from "./stories/machine.ts";
import { performanceProfileStories } from "./stories/performance-profile.ts";
import { powerCutStories } from "./stories/power-cut.ts";
import { tuningStories } from "./stories/tuning.ts";

const reason = whyNoMachine(process.env);
if (reason !== undefined) console.log(`not run: Attune on an emulated machine (${reason})`);

describe.skipIf(reason !== undefined)("Attune on an emulated machine", { timeout: 3_600_000 }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  }, 1_800_000);
  afterAll(async () => {
    const seconds = stage?.machine.boots.map(({ seconds }) => seconds);
    console.log(`boots of the guest, in seconds until user space: ${seconds?.join(", ")}`);
    await stage?.stop();
  }, 60_000);
  beforeEach(() => onTestFailed(() => console.log(stage.machine.report())));

  machineStories(() => stage);
  hardwareStory(() => stage);
  tuningStories(() => stage);
  beforeKubeletStories(() => stage);
  machineConfigStories(() => stage);
  performanceProfileStories(() => stage);
  powerCutStories(() => stage);
});
