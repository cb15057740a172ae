import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { INJECTED_ENV, isInjected } from '../pod/own-parts.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { readFieldPath } from './field-path.ts';
import type { Sidecar, TransferEnv } from './normalize.ts';
import { OTHER_VERSION_PREFIX, VERSION_PREFIX } from './resource.ts';

/** What one sidecar becomes in a pod: one container, or the two of a hot pair. */
export interface InjectedContainers {
  containers: readonly JsonObject[];
  isBefore: boolean;
  /** The names of the volumes of the set that it mounts. */
  volumes: readonly string[];
}

/**
 * The containers of one sidecar in a pod (OpenKruise sidecarset, rule 6.2.2): shared mounts and devices, transferred variables,
 * and the two halves of a hot pair. Everything is read of the pod as it came in.
 *
 * @param resources what the resources policy gives it; undefined: it has none
 */
export function injectedContainers(
  sidecar: Sidecar,
  pod: KubeObject,
  resources: JsonObject | undefined,
): InjectedContainers {
  const { container, emptyImage, name, isBefore } = sidecar;
  // Only the containers of the pod itself are shared.
  const apps = listOf(objectOf(pod['spec'])['containers']).filter((each) => !isInjected(each));
  const ownMounts = listOf(container['volumeMounts']);
  const ownDevices = listOf(container['volumeDevices']);
  const taken = new Set(
    [...ownMounts.map(({ mountPath }) => mountPath), ...ownDevices.map(({ devicePath }) => devicePath)].map(
      textOf,
    ),
  );
  const share = (field: 'volumeMounts' | 'volumeDevices', path: string): JsonObject[] =>
    apps.flatMap((app) =>
      listOf(app[field]).filter((each) => {
        const at = textOf(each[path]);
        if (taken.has(at)) return false;
        taken.add(at);
        return true;
      }),
    );
  const sharedMounts = sidecar.sharesVolumes ? share('volumeMounts', 'mountPath') : [];
  const sharedDevices = sidecar.sharesDevices ? share('volumeDevices', 'devicePath') : [];
  const volumeMounts = [...ownMounts, ...sharedMounts];
  const volumeDevices = [...ownDevices, ...sharedDevices];
  const env = withoutRepeats([
    ...listOf(container['env']),
    { name: INJECTED_ENV, value: 'true' },
    ...sidecar.transferEnv.flatMap((each) => transferred(each, pod)),
    ...(sidecar.sharesVolumes ? apps.flatMap(variablesOfMounts) : []),
  ]);
  const whole: JsonObject = {
    ...container,
    ...(resources !== undefined && { resources }),
    env,
    ...(volumeMounts.length > 0 && { volumeMounts }),
    ...(volumeDevices.length > 0 && { volumeDevices }),
  };
  return {
    containers: emptyImage === undefined ? [whole] : hotPair(whole, name, emptyImage),
    isBefore,
    volumes: [...ownMounts, ...ownDevices].map((each) => textOf(each['name'])),
  };
}

/** The working half with the image, and the idle half with the empty one (rule 6.2.2 g). */
function hotPair(whole: JsonObject, name: string, emptyImage: string): JsonObject[] {
  const image = whole['image'] ?? '';
  return [`${name}-1`, `${name}-2`].map((half, index) => ({
    ...whole,
    name: half,
    image: index === 0 ? image : emptyImage,
    env: [
      ...listOf(whole['env']).filter((each) => !VERSION_VARIABLES.includes(textOf(each['name']))),
      versionVariable('SIDECARSET_VERSION', `${VERSION_PREFIX}${half}`),
      versionVariable('SIDECARSET_VERSION_ALT', `${OTHER_VERSION_PREFIX}${half}`),
    ],
  }));
}

const VERSION_VARIABLES: readonly string[] = ['SIDECARSET_VERSION', 'SIDECARSET_VERSION_ALT'];

function versionVariable(name: string, annotation: string): JsonObject {
  return {
    name,
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.annotations['${annotation}']` } },
  };
}

/** The variables that one entry transfers, whole; a container or variable that the pod lacks is left out. */
function transferred({ container, fieldPath, names }: TransferEnv, pod: KubeObject): JsonObject[] {
  const source = fieldPath === undefined ? container : fieldOfPod(pod, fieldPath);
  const found = listOf(objectOf(pod['spec'])['containers']).find(({ name }) => name === source);
  const env = listOf(found?.['env']);
  return variablesNamed(names, env);
}

function variablesNamed(names: readonly unknown[], env: readonly JsonObject[]): JsonObject[] {
  return names.flatMap((name) => {
    const found = env.find((each) => each['name'] === name);
    return found === undefined ? [] : [found];
  });
}

function fieldOfPod(pod: KubeObject, fieldPath: string): string | undefined {
  const read = readFieldPath(fieldPath);
  if (read === undefined) return undefined;
  const values = pod.metadata[read.section] ?? {};
  return Object.hasOwn(values, read.key) ? values[read.key] : undefined;
}

/** The variables that the `subPathExpr` of a container's mounts refer to. `$$(NAME)` refers to none. */
function variablesOfMounts(app: JsonObject): JsonObject[] {
  const env = listOf(app['env']);
  const names = listOf(app['volumeMounts']).flatMap(({ subPathExpr }) => referencesIn(textOf(subPathExpr)));
  return variablesNamed(names, env);
}

/** The names in `$(NAME)`. Of an even number of dollars none is left for the bracket. */
function referencesIn(text: string): string[] {
  const names: string[] = [];
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', at)) {
    const begin = at;
    while (text[at] === '$') at += 1;
    if ((at - begin) % 2 === 0 || text[at] !== '(') continue;
    const end = text.indexOf(')', at);
    if (end === -1) break;
    if (end > at + 1) names.push(text.slice(at + 1, end));
    at = end > at + 1 ? end + 1 : at;
  }
  return names;
}

/** The first variable of each name. */
function withoutRepeats(env: readonly JsonObject[]): JsonObject[] {
  const seen = new Set<unknown>();
  return env.filter(({ name }) => {
    const isNew = !seen.has(name);
    seen.add(name);
    return isNew;
  });
}
