import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { LAUNCH_PRIORITY_ANNOTATION, LAUNCH_PRIORITY_ENV } from '../../semantics/pod/launch-priority.ts';
import { isObject } from './identity.ts';

/** A pod, or a template of pods, in an object of any kind. */
export interface PodTemplate {
  /** From the root of the object; empty for a pod. */
  path: readonly string[];
  template: JsonObject;
}

/** Deeper levels have no templates: the deepest that is known is that of a Job in a schedule, at the fourth level. */
const MOST_DEPTH = 6;

/**
 * The pods that an object describes: a Pod itself, and each `template` below `spec` whose spec has containers. So every kind has
 * its pods found, one that nobody knows included.
 */
export function podTemplatesIn(object: JsonObject): PodTemplate[] {
  if (object['apiVersion'] === 'v1' && object['kind'] === 'Pod') return [{ path: [], template: object }];
  const { spec } = object;
  return isObject(spec) ? below(spec, ['spec'], 0) : [];
}

/** Whether a text may have a pod whose containers start in an order. A search is cheap enough for every file. */
export function mayOrderContainers(text: string): boolean {
  return text.includes(LAUNCH_PRIORITY_ENV) || text.includes(LAUNCH_PRIORITY_ANNOTATION);
}

/** The object with another template at a path. */
export function withTemplate(object: JsonObject, path: readonly string[], template: JsonObject): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return template;
  const inner = object[key];
  return { ...object, [key]: withTemplate(isObject(inner) ? inner : {}, rest, template) };
}

function below(value: JsonObject, path: readonly string[], depth: number): PodTemplate[] {
  if (depth > MOST_DEPTH) return [];
  return Object.keys(value).flatMap((key) => {
    const inner = value[key];
    if (!isObject(inner)) return [];
    const at = [...path, key];
    return key === 'template' && hasContainers(inner)
      ? [{ path: at, template: inner }]
      : below(inner, at, depth + 1);
  });
}

function hasContainers({ spec }: JsonObject): boolean {
  const containers: Json | undefined = isObject(spec) ? spec['containers'] : undefined;
  return Array.isArray(containers) && containers.length > 0;
}
