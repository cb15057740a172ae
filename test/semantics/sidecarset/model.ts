import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Injection, InjectionInput } from '../../../semantics/kinds/pod-injector.ts';
import { injectSidecars } from '../../../semantics/sidecarset/inject.ts';
import { publishedRevisions } from '../../../semantics/sidecarset/publish.ts';
import { listOf, objectOf, textOf } from '../../../semantics/values/read.ts';

/** The time of every injection here. */
export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
export const TIME = '2026-01-02T03:04:05Z';

/** A set that selects the pods of this file, with one container where the spec has none. */
export function setOf(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name, ...metadata },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      ...(spec['containers'] === undefined && spec['initContainers'] === undefined
        ? { containers: [sidecar(name)] }
        : {}),
      ...spec,
    },
  };
}

export function sidecar(name: string, fields: JsonObject = {}): JsonObject {
  return { name, image: `${name}:1`, ...fields };
}

/** A sidecar after the containers of the pod. */
export function after(name: string, fields: JsonObject = {}): JsonObject {
  return sidecar(name, { podInjectPolicy: 'AfterAppContainer', ...fields });
}

/** A pod with an init container, and nginx with variables, a mount and two pull secrets. */
export function podOf(spec: JsonObject = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, ...metadata },
    spec: {
      initContainers: [{ name: 'init-0', image: 'init:1' }],
      containers: [nginx()],
      volumes: [{ name: 'va', emptyDir: {} }],
      imagePullSecrets: [{ name: 's2' }, { name: 's3' }, { name: 's3' }],
      ...spec,
    },
  };
}

export function nginx(fields: JsonObject = {}): JsonObject {
  return {
    name: 'nginx',
    image: 'nginx:1',
    env: ['A', 'B', 'C'].map((name, index) => ({ name, value: String(index + 1) })),
    volumeMounts: [{ name: 'va', mountPath: '/a' }],
    ...fields,
  };
}

/** The injection of sets into the pod above, with what a test says besides. */
export function injection(sets: readonly KubeObject[], input: Partial<InjectionInput> = {}): Injection {
  return injectSidecars({
    pod: podOf(),
    namespace: { name: 'shop', labels: { 'kubernetes.io/metadata.name': 'shop' } },
    sets,
    revisions: [],
    published: new Map(),
    requestId: 'request',
    now: NOW,
    sortsContainers: false,
    ...input,
  });
}

/** The name of the revision that a new pod of a set gets; '': none is on record. */
export function publishedName(set: KubeObject, revisions: readonly KubeObject[], pod: KubeObject): string {
  const found = publishedRevisions([set], revisions, pod, 'request', () => true).get(set.metadata.name);
  return found?.is === 'revision' ? found.name : '';
}

/** The injected pod; an error where it is refused. */
export function injectedPod(sets: readonly KubeObject[], input: Partial<InjectionInput> = {}): KubeObject {
  const result = injection(sets, input);
  if ('refused' in result) throw new Error(result.refused);
  return result.pod;
}

/** The names in a list of the spec of a pod, joined by commas. */
export function namesIn(pod: KubeObject, list: string): string {
  return listOf(objectOf(pod['spec'])[list])
    .map(({ name }) => textOf(name))
    .join(',');
}

/** A container of a pod, init containers included. */
export function containerIn(pod: KubeObject, name: string): JsonObject {
  const { initContainers, containers } = objectOf(pod['spec']);
  const found = [...listOf(initContainers), ...listOf(containers)].find((each) => each['name'] === name);
  if (found === undefined) throw new Error(`no container ${name}`);
  return found;
}

/** The variables of a container as text: `A=1,B=2`; `?` for one that is no plain value. */
export function envOf(container: JsonObject): string {
  return listOf(container['env'])
    .map(({ name, value }) => `${textOf(name)}=${typeof value === 'string' ? value : '?'}`)
    .join(',');
}

export function mountsOf(container: JsonObject): string {
  return listOf(container['volumeMounts'])
    .map(({ name, mountPath }) => `${textOf(mountPath)}<${textOf(name)}`)
    .join(',');
}
