import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodInjector } from '../../semantics/kinds/pod-injector.ts';
import { podInjectorOf } from '../../semantics/registry/pod-injectors.ts';
import { tupleId } from '../../semantics/owner.ts';
import { groupOf, isObject } from './identity.ts';
import type { Origin } from './locate.ts';

/** An object that adds to new pods of any owner. Nothing of it was validated. */
export interface InjectorManifest {
  /** Group, kind and name. */
  id: string;
  type: PodInjector;
  object: KubeObject;
  origin: Origin;
}

/** The object that a value is; undefined: it is none of these. */
export function injectorManifest(value: JsonObject, origin: Origin): InjectorManifest | undefined {
  const { kind } = value;
  if (typeof kind !== 'string') return undefined;
  const type = podInjectorOf({ group: groupOf(value), kind });
  if (type === undefined) return undefined;
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  return {
    id: tupleId(type.id, undefined, name),
    type,
    object: { ...value, metadata } as unknown as KubeObject,
    origin,
  };
}
