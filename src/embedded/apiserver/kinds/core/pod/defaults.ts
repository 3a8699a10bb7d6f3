import type { Container, Lifecycle, PodSpec, Probe, DownwardAPIVolumeFile, Volume } from "kubernetes-types/core/v1.js";
import { parseQuantity, formatQuantity, roundUpQuantity } from "../../../../../language/object/quantity.ts";

/** Defaults of a pod spec, in a Pod or in a template. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.dnsPolicy ??= "ClusterFirst";
  spec.restartPolicy ??= "Always";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  spec.schedulerName ??= "default-scheduler";
  aliasServiceAccount(spec);
  for (const container of containersOf(spec)) defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  if (spec.overhead) roundAmounts(spec.overhead);
}

/** Defaults of a Pod that templates do not get. */
export function defaultPod(spec: PodSpec): void {
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) for (const container of containersOf(spec)) mapHostPorts(container);
  for (const { resources } of containersOf(spec)) {
    if (!resources?.limits) continue;
    for (const [name, limit] of Object.entries(resources.limits)) {
      const requests = (resources.requests ??= {});
      if (!Object.hasOwn(requests, name)) requests[name] = limit;
    }
  }
}

/** Ephemeral containers have another type but the same defaults. */
export function containersOf(spec: PodSpec): Container[] {
  return [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...((spec.ephemeralContainers ?? []) as Container[]),
  ];
}

/** `serviceAccount` is the old name of `serviceAccountName`; both are set. */
function aliasServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function mapHostPorts({ ports }: Container): void {
  for (const port of ports ?? []) if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
}

function defaultContainer(container: Container): void {
  container.imagePullPolicy ??= pullPolicy(container.image ?? "");
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  for (const port of container.ports ?? []) port.protocol ??= "TCP";
  for (const { valueFrom } of container.env ?? []) if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= "v1";
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
    if (probe) defaultProbe(probe);
  if (container.lifecycle) defaultLifecycle(container.lifecycle);
  const { limits, requests } = container.resources ?? {};
  if (limits) roundAmounts(limits);
  if (requests) roundAmounts(requests);
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  if (probe.httpGet) defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function defaultLifecycle({ postStart, preStop }: Lifecycle): void {
  if (postStart?.httpGet) defaultHttpGet(postStart.httpGet);
  if (preStop?.httpGet) defaultHttpGet(preStop.httpGet);
}

function defaultHttpGet(action: NonNullable<Probe["httpGet"]>): void {
  action.path ??= "/";
  action.scheme ??= "HTTP";
}

/** Kubernetes rounds quantities up to thousandths. */
function roundAmounts(amounts: Record<string, string>): void {
  for (const [name, text] of Object.entries(amounts))
    if (text.endsWith("n") || text.endsWith("u"))
      amounts[name] = formatQuantity(roundUpQuantity(parseQuantity(text), -3));
}

const fileMode = 0o644;

/** A field that `kubernetes-types` does not have yet. */
type ImageVolume = { image?: { reference?: string; pullPolicy?: string } };

export function defaultVolume(volume: Volume & ImageVolume): void {
  if (Object.keys(volume).length <= (volume.name === undefined ? 0 : 1)) volume.emptyDir = {};
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.secret) volume.secret.defaultMode ??= fileMode;
  if (volume.configMap) volume.configMap.defaultMode ??= fileMode;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= fileMode;
    defaultFiles(volume.downwardAPI.items);
  }
  if (volume.projected) {
    volume.projected.defaultMode ??= fileMode;
    for (const { serviceAccountToken, downwardAPI } of volume.projected.sources ?? []) {
      if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
      defaultFiles(downwardAPI?.items);
    }
  }
  if (volume.iscsi) volume.iscsi.iscsiInterface ??= "default";
  if (volume.rbd) {
    volume.rbd.pool ??= "rbd";
    volume.rbd.user ??= "admin";
    volume.rbd.keyring ??= "/etc/ceph/keyring";
  }
  if (volume.azureDisk) {
    volume.azureDisk.cachingMode ??= "ReadWrite";
    volume.azureDisk.kind ??= "Shared";
    volume.azureDisk.fsType ??= "ext4";
    volume.azureDisk.readOnly ??= false;
  }
  if (volume.scaleIO) {
    volume.scaleIO.storageMode ??= "ThinProvisioned";
    volume.scaleIO.fsType ??= "xfs";
  }
  if (volume.ephemeral?.volumeClaimTemplate) volume.ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  if (volume.image) volume.image.pullPolicy ??= pullPolicy(volume.image.reference ?? "");
}

function defaultFiles(files: readonly DownwardAPIVolumeFile[] | undefined): void {
  for (const { fieldRef } of files ?? []) if (fieldRef) fieldRef.apiVersion ??= "v1";
}

/** An image without a tag or with `latest` may change, and so is always pulled. */
export function pullPolicy(image: string): "Always" | "IfNotPresent" {
  if (image.includes("@")) return "IfNotPresent";
  const name = image.slice(image.lastIndexOf("/") + 1);
  const colon = name.lastIndexOf(":");
  return colon < 0 || name.slice(colon + 1) === "latest" ? "Always" : "IfNotPresent";
}
