import { readLedger } from "../../engine/journal.ts";
import type { Host, Outcome } from "../../host/host.ts";
import { findUnit, ownUnits } from "../../host/unit-files.ts";
import { hostFacts } from "../machine-config/kubelet/host-facts.ts";
import { bootTarget, type OneShot, oneShotService, oneShotUnit } from "./one-shot-unit.ts";

const unitPath = `${ownUnits}/${oneShotService}`;
const linkPath = `${ownUnits}/${bootTarget}.wants/${oneShotService}`;
/** The link goes first: a unit that nothing wants does nothing. */
export const oneShotFiles: readonly string[] = [linkPath, unitPath];

/** Before it the unit of OpenShift runs, which PerformanceProfiles bring. */
const openShiftTarget = "kubelet-dependencies.target";

/**
 * Keeps the unit on the node that tunes it before the kubelet of the next boot starts; without an image, keeps it away. Returns
 * why pods may start on the restarted node before it is tuned. systemd need not read the unit before that boot. A runtime that
 * does not answer now may do so at the next boot: a unit that is there stays.
 */
export async function keepOneShot(host: Host, image: string | undefined): Promise<string | undefined> {
  const wanted: Wanted = image === undefined ? { type: "none" } : await oneShotOn(host, image);
  if (wanted.type === "unanswered") return wanted.why;
  const outcomes =
    wanted.type === "one-shot"
      ? [await place(host, oneShotUnit(wanted.oneShot)), await enable(host)]
      : [await host.remove(linkPath), await host.remove(unitPath)];
  const failed = outcomes.find((outcome) => outcome.type === "failed");
  return failed?.message ?? (wanted.type === "impossible" ? wanted.why : undefined);
}

async function place(host: Host, text: string): Promise<Outcome> {
  const present = await host.read(unitPath);
  return present.type === "text" && present.text === text ? done : host.replace(unitPath, text, 0o644);
}

async function enable(host: Host): Promise<Outcome> {
  return (await host.stat(linkPath)).type === "missing" ? host.placeLink(linkPath, { target: unitPath }) : done;
}

const done: Outcome = { type: "done" };

type Wanted =
  | { readonly type: "none" }
  | { readonly type: "impossible" | "unanswered"; readonly why: string }
  | { readonly type: "one-shot"; readonly oneShot: OneShot };

async function oneShotOn(host: Host, image: string): Promise<Wanted> {
  if (!/^[A-Za-z0-9._/:@-]+$/.test(image)) return impossible(`${image} is no name of an image`);
  if ((await findUnit(host, openShiftTarget)).type === "unit") return { type: "none" };
  const { kubelet, runtime } = await hostFacts(host, await readLedger(host));
  if (!kubelet) return impossible("no kubelet was found");
  const given = { kubelet: kubelet.service, image };
  if (runtime.type === "cri-o") {
    const found = await host.run(["podman", "--version"]);
    if (found.type === "failed")
      return unanswered(`only podman could run the image of the agent before the kubelet: ${found.message}`);
    return { type: "one-shot", oneShot: { ...given, runtime: "crio.service", program: "podman" } };
  }
  if (runtime.type !== "containerd") return impossible("its container runtime is not known");
  if (runtime.madeFrom !== undefined) return impossible(`${kubelet.service} runs containerd and the kubelet in one`);
  const { socket } = runtime;
  const at = socket === undefined ? [] : ["--address", socket];
  const listed = await host.run(["ctr", ...at, "--namespace", "k8s.io", "images", "ls", "--quiet"]);
  if (listed.type === "failed") return unanswered(`only ctr could run the image of the agent: ${listed.message}`);
  if (listed.code !== 0) return unanswered(`ctr: ${listed.stderr.trim()}`);
  const stored = storedAs(image, listed.stdout.split("\n"));
  return {
    type: "one-shot",
    oneShot: { ...given, image: stored, runtime: "containerd.service", program: "ctr", socket },
  };
}

/** The kubelet completes short names with a registry, and of a tag and a digest it keeps the digest. */
function storedAs(image: string, names: readonly string[]): string {
  const short = image.replace(/:[^:@/]+(?=@)/, "");
  return names.find((name) => name === short || name.endsWith(`/${short}`)) ?? image;
}

const impossible = (why: string): Wanted => ({ type: "impossible", why });
const unanswered = (why: string): Wanted => ({ type: "unanswered", why });
