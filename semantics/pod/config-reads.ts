import type { JsonObject } from '../../schemas/wire/json.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { CONTAINER_LISTS } from './own-parts.ts';

/** A place where a pod reads a ConfigMap or Secret. */
export interface ConfigRead {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  /**
   * `environment`: variables of a container, which stay as they are until it starts again. `file`: a file in a container that is
   * mounted by `subPath`, which stays, too. `volume`: its files change in running pods. `pull`: it is read when an image is pulled.
   */
  by: 'environment' | 'file' | 'volume' | 'pull';
  /** The names of the containers, or of the volume; none for a pull. Reads of one volume share the list. */
  where: readonly string[];
  /** The keys that are read there; undefined: all of them. */
  keys: ReadonlySet<string> | undefined;
}

/** Where a pod reads ConfigMaps and Secrets, by its spec. Nothing of it need be valid. */
export function configReads(spec: unknown): ConfigRead[] {
  const pod = objectOf(spec);
  const containers = Object.keys(CONTAINER_LISTS).flatMap((list) => listOf(pod[list]));
  return [
    ...containers.flatMap(environmentReads),
    ...volumeReads(listOf(pod['volumes']), containers),
    ...listOf(pod['imagePullSecrets']).flatMap((each) =>
      read('Secret', each['name'], { by: 'pull', where: [], keys: undefined }),
    ),
  ];
}

function environmentReads(container: JsonObject): ConfigRead[] {
  const at = { by: 'environment', where: [textOf(container['name'])] } as const;
  const variables = listOf(container['env']).flatMap(({ valueFrom }) => {
    const { configMapKeyRef, secretKeyRef } = objectOf(valueFrom);
    return [
      ['ConfigMap', objectOf(configMapKeyRef)] as const,
      ['Secret', objectOf(secretKeyRef)] as const,
    ].flatMap(([kind, ref]) => read(kind, ref['name'], { ...at, keys: new Set([textOf(ref['key'])]) }));
  });
  const all = listOf(container['envFrom']).flatMap(({ configMapRef, secretRef }) => [
    ...read('ConfigMap', objectOf(configMapRef)['name'], { ...at, keys: undefined }),
    ...read('Secret', objectOf(secretRef)['name'], { ...at, keys: undefined }),
  ]);
  return [...variables, ...all];
}

/**
 * What is mounted counts by the name of the volume, and each source of a name once. Each list is then as long as the template at most,
 * and its product with the containers is never made.
 */
function volumeReads(volumes: readonly JsonObject[], containers: readonly JsonObject[]): ConfigRead[] {
  const mounts = mountsIn(containers);
  const sources = new Map<string, Map<string, Source>>();
  for (const volume of volumes) {
    const name = textOf(volume['name']);
    const known = sources.get(name) ?? new Map<string, Source>();
    sources.set(name, known);
    for (const { configMap, secret } of [volume, ...listOf(objectOf(volume['projected'])['sources'])]) {
      addSource(known, 'ConfigMap', objectOf(configMap));
      addSource(known, 'Secret', objectOf(secret));
    }
  }
  return [...sources].flatMap(([name, found]) => {
    const { files, isWhole } = mounts.get(name) ?? { files: new Set<string>(), isWhole: true };
    const [volume, containersOfFiles] = [[name], [...files]];
    return [...found.values()].flatMap((each): ConfigRead[] => [
      ...(isWhole ? [{ ...each, by: 'volume', where: volume } as const] : []),
      ...(files.size > 0 ? [{ ...each, by: 'file', where: containersOfFiles } as const] : []),
    ]);
  });
}

interface Mounts {
  /** The containers with a file of the volume. */
  files: Set<string>;
  /** A container has it whole. */
  isWhole: boolean;
}

/** By the name of the volume. */
function mountsIn(containers: readonly JsonObject[]): Map<string, Mounts> {
  const mounts = new Map<string, Mounts>();
  for (const { name: container, volumeMounts } of containers)
    for (const mount of listOf(volumeMounts)) {
      const name = textOf(mount['name']);
      const known = mounts.get(name) ?? { files: new Set<string>(), isWhole: false };
      mounts.set(name, known);
      if (isBySubPath(mount)) known.files.add(textOf(container));
      else known.isWhole = true;
    }
  return mounts;
}

/** What a volume reads, with the keys of all sources that are alike; undefined: all keys. */
interface Source {
  kind: ConfigRead['kind'];
  name: string;
  keys: Set<string> | undefined;
}

/** A Secret is named `secretName` as a volume of its own, and `name` in a projected one. */
function addSource(known: Map<string, Source>, kind: ConfigRead['kind'], source: JsonObject): void {
  const name = source['secretName'] ?? source['name'];
  if (typeof name !== 'string' || name === '') return;
  const items = listOf(source['items']);
  const keys = items.length === 0 ? undefined : new Set(items.map(({ key }) => textOf(key)));
  const id = `${kind} ${name}`;
  const before = known.get(id);
  if (before === undefined) known.set(id, { kind, name, keys });
  else if (keys === undefined) before.keys = undefined;
  else for (const key of keys) before.keys?.add(key);
}

function isBySubPath({ subPath, subPathExpr }: JsonObject): boolean {
  return textOf(subPath) !== '' || textOf(subPathExpr) !== '';
}

function read(
  kind: ConfigRead['kind'],
  name: unknown,
  at: Pick<ConfigRead, 'by' | 'where' | 'keys'>,
): ConfigRead[] {
  return typeof name === 'string' && name !== '' ? [{ kind, name, ...at }] : [];
}
