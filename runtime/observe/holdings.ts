import type { Resource } from '../../schemas/wire/cluster.ts';
import type { Reflector } from './reflector.ts';

/** The size of a cache. */
export interface Holding {
  /** The plural of the resource; with its group where another of the same plural is watched. */
  resource: string;
  synced: boolean;
  objects: number;
  /** As JSON, estimated from a sample of the objects. */
  bytes: number;
}

/** The size of the sample: measuring every object at each scrape would be expensive. */
const SAMPLE = 32;

/** The sizes of caches. Several reflectors of one resource are one cache. */
export function holdingsOf(watched: readonly (readonly [Resource, Reflector])[]): Holding[] {
  const byName = new Map<string, Reflector[]>();
  for (const [resource, reflector] of watched) {
    const name = nameAmong(
      watched.map(([each]) => each),
      resource,
    );
    byName.set(name, [...(byName.get(name) ?? []), reflector]);
  }
  return [...byName].map(([resource, reflectors]) => ({
    resource,
    synced: reflectors.every(({ synced }) => synced),
    ...weigh(reflectors.flatMap((each) => [...each.values()])),
  }));
}

function nameAmong(all: readonly Resource[], { plural, group }: Resource): string {
  const isShared = all.some((other) => other.plural === plural && other.group !== group);
  return isShared && group !== '' ? `${plural}.${group}` : plural;
}

/** The number and the size of these objects. */
export function weigh(objects: readonly object[]): { objects: number; bytes: number } {
  const apart = Math.max(1, Math.floor(objects.length / SAMPLE));
  const some = objects.filter((_, index) => index % apart === 0);
  const weight = some.reduce((sum, object) => sum + JSON.stringify(object).length, 0);
  const bytes = some.length === 0 ? 0 : Math.round((weight / some.length) * objects.length);
  return { objects: objects.length, bytes };
}
