import type { ResourceType } from '../../api/registry.ts';
import { configMap, pod, widget, widgetDefinition } from '../world.ts';
import type { Random } from './random.ts';
import { oddities } from './vocabulary.ts';
import type { Draft } from './draft.ts';

function sample(
  type: ResourceType,
  name: string,
  namespace: string,
  random: Random,
): Record<string, unknown> {
  const version = random.of([...type.versions.keys()]);
  const apiVersion = type.group === '' ? version : `${type.group}/${version}`;
  const place = type.namespaced && random.chance(0.8) ? { namespace } : {};
  const labels = random.chance(0.4) ? { labels: { app: random.of(['a', 'b']) } } : {};
  const finalizers = random.chance(0.05)
    ? { finalizers: [random.of(['x.y/z', 'foregroundDeletion', 'orphan'])] }
    : {};
  const metadata = { name, ...place, ...labels, ...finalizers };
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  };
  const workload = { replicas: random.below(3), selector: { matchLabels: { app: 'a' } }, template };
  const content: Record<string, unknown> = (() => {
    switch (type.id) {
      case 'configmaps':
        return { data: configMap(name)['data'] };
      case 'pods':
        return { spec: pod(name)['spec'] };
      case 'widgets.test.example':
        return { spec: widget(name)['spec'] };
      case 'customresourcedefinitions.apiextensions.k8s.io':
        return { spec: widgetDefinition['spec'] };
      case 'namespaces':
      case 'nodes':
        return {};
      case 'controllerrevisions.apps':
        return { revision: 1, data: {} };
      default:
        return { spec: workload, data: {} };
    }
  })();
  return { apiVersion, kind: type.kind, metadata, ...content };
}

/** Mutates a random part of a value: removes, duplicates or replaces it. */
export function mutate(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return random.of(oddities);
  if (Array.isArray(value)) {
    const copy = [...(value as unknown[])];
    const at = random.below(copy.length + 1);
    if (random.chance(0.3)) copy.splice(at, 1);
    else if (random.chance(0.4)) copy.push(...copy);
    else copy[at] = mutate(copy[at], random);
    return copy;
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const [key, old] = entries[at] ?? [
    random.of(['__proto__', 'unknown', 'status', 'metadata', 'spec', 'constructor']),
    {},
  ];
  const rest = entries.filter(([each]) => each !== key);
  return Object.fromEntries(random.chance(0.15) ? rest : [...rest, [key, mutate(old, random)]]);
}

function jsonPatch(random: Random): unknown[] {
  const path = () =>
    random.of([
      '',
      '/',
      '/data',
      '/data/k',
      '/spec',
      '/spec/replicas',
      '/metadata/labels',
      '/metadata/labels/a~1b',
      '/spec/containers/0',
      '/spec/containers/-',
      '/a/b/c',
      '~2',
      '/__proto__/x',
      '/metadata/name',
      '/metadata/uid',
      '/kind',
    ]);
  const ops = ['add', 'remove', 'replace', 'move', 'copy', 'test', 'nope'] as const;
  return Array.from({ length: 1 + random.below(3) }, () => ({
    op: random.of(ops),
    path: path(),
    from: path(),
    value: random.of(oddities),
  }));
}

export function bodyFor(
  asked: Draft,
  type: ResourceType,
  name: string,
  namespace: string,
  random: Random,
): unknown {
  const contentType = asked.headers.find(([key]) => key === 'Content-Type')?.[1] ?? '';
  if (contentType === 'application/json-patch+json' && random.chance(0.8)) return jsonPatch(random);
  if (asked.method === 'DELETE')
    return random.chance(0.7)
      ? ''
      : {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          gracePeriodSeconds: 0,
          propagationPolicy: random.of(['Background', 'Foreground', 'Orphan']),
          preconditions: random.chance(0.3) ? { uid: 'x' } : {},
        };
  if (asked.path.endsWith('/scale')) {
    const metadata = { name, namespace };
    return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: random.below(4) } };
  }
  if (asked.path.endsWith('/eviction'))
    return { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  if (asked.path.endsWith('/binding'))
    return { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target: { name: 'node-1' } };
  return sample(type, name, namespace, random);
}
