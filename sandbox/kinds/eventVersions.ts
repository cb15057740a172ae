import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Conversion } from '../api/registry.ts';

/** The field names of an Event in the core group and in events.k8s.io. */
const names: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];
const toNew = new Map(names);
const toOld = new Map(names.map(([old, current]) => [current, old]));
/** The core group serializes these even if empty. */
const leftOutIfEmpty = new Set(['reportingController', 'reportingInstance']);

function renamed(object: KubeObject, by: ReadonlyMap<string, string>, apiVersion: string): KubeObject {
  const fields = Object.entries(object).map(([name, value]) => [by.get(name) ?? name, value] as const);
  return { ...(Object.fromEntries(fields) as KubeObject), apiVersion };
}

/** An Event of events.k8s.io/v1 is a core Event with renamed fields. */
export const eventConversion: Conversion = {
  toStored: (object) => renamed(object, toOld, 'v1'),
  fromStored(stored) {
    const object = renamed(stored, toNew, 'events.k8s.io/v1');
    return Object.fromEntries(
      Object.entries(object).filter(([name, value]) => value !== '' || !leftOutIfEmpty.has(name)),
    ) as unknown as KubeObject;
  },
};
