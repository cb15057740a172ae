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
  /** The name of the container or volume; empty for a pull. */
  where: string;
  /** The keys that are read there; undefined: all of them. */
  keys: readonly string[] | undefined;
}

/** Where a pod reads ConfigMaps and Secrets, by its spec. Nothing of it need be valid. */
export function configReads(spec: unknown): ConfigRead[] {
  const pod = objectOf(spec);
  const containers = Object.keys(CONTAINER_LISTS).flatMap((list) => listOf(pod[list]));
  return [
    ...containers.flatMap(environmentReads),
    ...listOf(pod['volumes']).flatMap((volume) => volumeReads(volume, containers)),
    ...listOf(pod['imagePullSecrets']).flatMap((each) =>
      read('Secret', each['name'], { by: 'pull', where: '', keys: undefined }),
    ),
  ];
}

function environmentReads(container: JsonObject): ConfigRead[] {
  const at = { by: 'environment', where: textOf(container['name']) } as const;
  const variables = listOf(container['env']).flatMap(({ valueFrom }) => {
    const { configMapKeyRef, secretKeyRef } = objectOf(valueFrom);
    return [
      ['ConfigMap', objectOf(configMapKeyRef)] as const,
      ['Secret', objectOf(secretKeyRef)] as const,
    ].flatMap(([kind, ref]) => read(kind, ref['name'], { ...at, keys: [textOf(ref['key'])] }));
  });
  const all = listOf(container['envFrom']).flatMap(({ configMapRef, secretRef }) => [
    ...read('ConfigMap', objectOf(configMapRef)['name'], { ...at, keys: undefined }),
    ...read('Secret', objectOf(secretRef)['name'], { ...at, keys: undefined }),
  ]);
  return [...variables, ...all];
}

function volumeReads(volume: JsonObject, containers: readonly JsonObject[]): ConfigRead[] {
  const sources = [volume, ...listOf(objectOf(volume['projected'])['sources'])];
  const name = textOf(volume['name']);
  const found = sources.flatMap(({ configMap, secret }) => [
    ...sourceReads('ConfigMap', objectOf(configMap), name),
    ...sourceReads('Secret', objectOf(secret), name),
  ]);
  const mounts = containers.flatMap(({ name: container, volumeMounts }) =>
    listOf(volumeMounts)
      .filter((mount) => mount['name'] === name)
      .map((mount) => ({ container: textOf(container), isFile: isBySubPath(mount) })),
  );
  const files = mounts.filter(({ isFile }) => isFile);
  const isMounted = mounts.length === 0 || files.length < mounts.length;
  return found.flatMap((each) => [
    ...(isMounted ? [each] : []),
    ...files.map(({ container }): ConfigRead => ({ ...each, by: 'file', where: container })),
  ]);
}

/** A Secret is named `secretName` as a volume of its own, and `name` in a projected one. */
function sourceReads(kind: ConfigRead['kind'], source: JsonObject, where: string): ConfigRead[] {
  const items = listOf(source['items']);
  const keys = items.length === 0 ? undefined : items.map(({ key }) => textOf(key));
  return read(kind, source['secretName'] ?? source['name'], { by: 'volume', where, keys });
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
