import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { createWallClock, createWorld, type World } from 'kruise-sandbox';
import { httpWebhooks, serve } from 'kruise-sandbox/http';
import { admissionConfiguration, disruptionConfiguration } from '../../../runtime/admit/configuration.ts';
import { type AdmissionProcess, startAdmission } from '../../../runtime/admit/process.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { connectionTo } from '../../runtime/process-world.ts';
import { identity } from '../../runtime/admit/site.ts';
import { until } from '../../until.ts';
import { keepDefinitions } from './definitions.ts';
import { keepKind } from './kind.ts';
import { registered } from './registered.ts';
import { KEEP_ANNOTATION } from './spec.ts';

export const SHOP = 'shop';
export const PODS = { app: 'web' };

/** A Keep that covers the pods of the tests. */
export function keep(name: string, spec: JsonObject = {}): KubeObject {
  const { group, version, kind } = keepKind.resource;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace: SHOP },
    spec: { selector: { ...PODS }, ...spec },
  };
}

/** A pod of the tests; `linked`: the Keep that covers it. */
export function pod(name: string, linked?: string, metadata: object = {}): KubeObject {
  const annotations: Record<string, string> = linked === undefined ? {} : { [KEEP_ANNOTATION]: linked };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: SHOP, labels: { ...PODS }, annotations, ...metadata },
    // No scheduler writes its status: a request is reviewed once.
    spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'web:1' }] },
  };
}

const webhooks = (plural: string): Resource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind: 'Configuration',
  namespaced: false,
});

/** A busy machine has no effect: the API server waits longer than three seconds, and so do the processes by their clocks. */
const PATIENCE_MS = 60_000;
const SPEED = 0.1;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A sandbox that asks two processes of the admission in turn, over HTTPS, as its configurations say. */
export interface KeepSite {
  world: World;
  admissions: AdmissionProcess[];
  lines: string[];
  /** Reviews that were sent, as path and operation. */
  asked: string[];
  statusOf(name: string): Promise<JsonObject>;
}

/** @param objects exist before the processes list them, without their reviews */
export async function keepSite(objects: readonly KubeObject[], replicas = 2): Promise<KeepSite> {
  const clock = createWallClock(SPEED);
  const asked: string[] = [];
  const admissions: AdmissionProcess[] = [];
  const world = createWorld({
    clock,
    namespaces: ['default', SHOP, 'kruise-system'],
    nodes: 0,
    crds: [...crds, ...keepDefinitions],
    webhooks(target, review) {
      const { operation } = (review as { request: { operation: string } }).request;
      const port = admissions[asked.length % admissions.length]?.reviewPort ?? target.port;
      asked.push(`${target.path.split('?')[0] ?? ''} ${operation}`);
      return httpWebhooks({ ...target, port, timeoutMs: PATIENCE_MS }, review);
    },
  });
  const front = await serve(world, { tokens: new Map([['token', 'kruise']]) });
  const admin = world.cluster('admin');
  for (const each of objects)
    await admin.create(each.kind === 'Pod' ? resources.Pod : keepKind.resource, each);
  const certificates = mkdtempSync(join(tmpdir(), 'kruise-keep-'));
  const { cert, key } = await identity('one');
  writeFileSync(join(certificates, 'tls.crt'), cert);
  writeFileSync(join(certificates, 'tls.key'), key);
  const lines: string[] = [];
  ends.push(
    () => world.stop(),
    () => rmSync(certificates, { recursive: true }),
    () => front.close(),
  );
  for (let at = 0; at < replicas; at += 1) {
    const admission = await startAdmission({
      connection: connectionTo(front.url, 'token'),
      clock,
      random: () => 0.5,
      version: '1.2.3',
      endpoint: { port: 0, address: '127.0.0.1' },
      reviews: { port: 0, address: '127.0.0.1', certificates, host: undefined, clientCa: undefined },
      stateNamespace: 'kruise-system',
      policy: 'Auto',
      kinds: registered,
      log: { format: 'json', write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) },
    });
    admissions.push(admission);
    ends.push(() => admission.stop());
    const ready = `http://127.0.0.1:${admission.port ?? 0}/readyz`;
    await until('ready', async () => (await fetch(ready)).ok);
  }
  const caBundle = Buffer.from(cert).toString('base64');
  const clientOf = (path: string): object => ({ url: `https://127.0.0.1:1${path}`, caBundle });
  const own = ['kruise-system'];
  await admin.create(
    webhooks('mutatingwebhookconfigurations'),
    admissionConfiguration(clientOf, own, registered),
  );
  const validating = disruptionConfiguration(clientOf, own, registered);
  if (validating !== undefined) await admin.create(webhooks('validatingwebhookconfigurations'), validating);
  return {
    world,
    admissions,
    lines,
    asked,
    async statusOf(name) {
      const found = await admin.get(keepKind.resource, { namespace: SHOP, name });
      return (found['status'] ?? {}) as JsonObject;
    },
  };
}
