import { afterEach, describe, expect, test } from 'vitest';
import type { Finding } from '../../runtime/shadow/compare.ts';
import { createShadow, type Shadow } from '../../runtime/shadow/shadow.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { cloneSet, createTestCluster, patchSpec, type TestCluster, templateOf } from './stage.ts';
import { makeClass } from '../fixtures/storage-class.ts';

const ZONE = 'topology.kubernetes.io/zone';
const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: storage }];

let stage: TestCluster;
let shadow: Shadow;
afterEach(async () => {
  shadow.stop();
  await stage.stop();
});

/** The same cluster, in which this resource may not be listed. */
function without(cluster: Cluster, hidden: Resource | undefined): Cluster {
  const refusal = new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${hidden?.plural} are forbidden`,
  });
  return {
    ...cluster,
    list: async (resource, options) => {
      if (resource === hidden) throw refusal;
      return cluster.list(resource, options);
    },
  };
}

interface Compared {
  findings: Finding[];
  forbidden: string[];
  differences: () => string[];
}

/** A shadow that compares another instance of these rules, with a CloneSet of this spec on six nodes in two zones. */
async function compared(spec: JsonObject, hidden?: Resource): Promise<Compared> {
  stage = await createTestCluster(cloneSet('web', 'web:1', spec), {
    policy: 'Auto',
    prepare: makeClass,
    world: { nodes: 6 },
  });
  const used = (await stage.pods()).map((pod) => pod.spec.nodeName ?? '').sort();
  for (const [index, name] of used.entries()) {
    const body = { metadata: { labels: { [ZONE]: index < 2 ? 'a' : 'b' } } };
    await stage.user.patch(resources.Node, { name }, { type: 'merge', body });
  }
  const findings: Finding[] = [];
  const forbidden: string[] = [];
  shadow = createShadow({
    cluster: without(stage.world.cluster('shadow'), hidden),
    clock: stage.clock,
    policy: 'Auto',
    targets: kinds.map((kind) => ({ kind, resource: kind.resource })),
    onFinding: (_, finding) => findings.push(finding),
    onRefused: (key, fields) => forbidden.push(`${String(key)} ${fields.join(' ')}`),
    onForbidden: (plural) => forbidden.push(plural),
    onWatchLost: (_, error) => {
      throw error;
    },
  });
  shadow.start();
  await stage.clock.advance(120_000);
  return {
    findings,
    forbidden,
    differences: () => findings.filter(({ verdict }) => verdict !== 'same').map(({ text }) => text),
  };
}

/** Six pods on as many nodes, spread over a zone of two and one of four. */
function spread(): JsonObject {
  const template = templateOf('web', 'web:1') as { spec: object };
  const selector = { labelSelector: { matchLabels: { app: 'web' } } };
  const constraint = { topologyKey: ZONE, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', ...selector };
  return {
    replicas: 6,
    template: { ...template, spec: { ...template.spec, topologySpreadConstraints: [constraint] } },
  };
}

describe('pods that are spread over zones', () => {
  test('are compared by their zones', async () => {
    const { findings, differences } = await compared(spread());
    await patchSpec(stage, 'web', { replicas: 4 });
    await stage.clock.advance(120_000);
    expect(differences()).toEqual([]);
    expect(findings).toHaveLength(2);
  });

  test('without the right to list nodes, it is reported once, and pods are compared by node alone', async () => {
    const { findings, forbidden } = await compared(spread(), resources.Node);
    await patchSpec(stage, 'web', { replicas: 4 });
    await stage.clock.advance(600_000);
    expect(forbidden).toEqual(['nodes']);
    expect(findings).toHaveLength(2);
    expect(findings.map(({ verdict }) => verdict)).toContain('other-pod');
  });
});

describe('pods that have claims', () => {
  test.each([
    ['scaled out', { replicas: 4 }, 2],
    ['scaled in', { replicas: 1 }, 1],
    ['recreated: marked, deleted, created', { template: templateOf('web', 'web:2') }, 6],
  ])('%s: no difference', async (_what, change, moves) => {
    const strategy = { podUpdatePolicy: 'ReCreate', maxUnavailable: 1 };
    const { findings, forbidden, differences } = await compared({
      replicas: 2,
      volumeClaimTemplates,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: strategy },
    });
    await patchSpec(stage, 'web', change);
    await stage.clock.advance(600_000);
    expect([differences(), forbidden]).toEqual([[], []]);
    expect(findings.length).toBeGreaterThanOrEqual(moves);
    expect(shadow.counts()).toEqual({ targets: 1, refused: 0, forbidden: 0 });
  });

  test('OpenKruise marks no claim before it deletes a pod, and a pod may be observed before its claim', async () => {
    const { findings } = await compared({
      replicas: 2,
      volumeClaimTemplates,
      scaleStrategy: { enablePVCReuse: false },
    });
    // The target is not reconciled any more, which is reported as well.
    await stage.runtime.stop();
    const changes = (): string =>
      findings
        .map(({ text }) => text)
        .filter((text) => !text.startsWith('OpenKruise has not'))
        .join();
    const [first, second] = await stage.pods();
    if (first === undefined || second === undefined) throw new Error('there are two pods');
    await patchSpec(stage, 'web', { replicas: 1 });
    await stage.user.delete(resources.Pod, { namespace: 'shop', name: first.metadata.name });
    await stage.clock.advance(60_000);
    expect(changes()).toMatch(/^OpenKruise (did as expected: delete|chose another pod: delete)/);
    await patchSpec(stage, 'web', { replicas: 2 });
    const { name, uid: _uid, resourceVersion: _version, ...metadata } = second.metadata;
    const labels = { ...metadata.labels, 'apps.kruise.io/cloneset-instance-id': 'zzzzz' };
    const { nodeName: _node, ...spec } = second.spec;
    const pod = { ...metadata, labels, name: name.replace(/.{5}$/, 'zzzzz') };
    await stage.user.create(resources.Pod, { apiVersion: 'v1', kind: 'Pod', metadata: pod, spec });
    await stage.clock.advance(60_000);
    expect(changes()).toMatch(
      /OpenKruise did as expected: create a pod at [^,]*, because [^,]*, wants 2[^,]*$/,
    );
  });

  test('without the right to list claims, it is reported once, and targets with claims are counted and not compared', async () => {
    const spec = { replicas: 2, volumeClaimTemplates };
    const { findings, forbidden } = await compared(spec, resources.PersistentVolumeClaim);
    await patchSpec(stage, 'web', { replicas: 1 });
    await stage.clock.advance(600_000);
    expect([findings, forbidden]).toEqual([[], ['persistentvolumeclaims']]);
    expect(shadow.counts()).toEqual({ targets: 1, refused: 0, forbidden: 1 });
  });
});

test('nodes and claims are not listed if no target needs them', async () => {
  await compared({});
  const listed = stage.world.log.filter(({ user }) => user === 'shadow').map(({ resource }) => resource);
  const targets = kinds.map(({ resource }) => resource.plural);
  expect([...new Set(listed)].sort()).toEqual(
    [...targets, 'controllerrevisions', 'namespaces', 'pods'].sort(),
  );
});
