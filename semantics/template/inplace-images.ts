import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { canonicalTemplate } from './canonical.ts';
import type { TemplateChange } from './changes.ts';
import { pathPattern, templateChanges } from './changes.ts';
import { comparison, judge } from './effects.ts';
import { type Resize, resizeOf } from './resize.ts';
import type { UpdateRules } from './update-policy.ts';

/** The change that updates a running pod from one template to another without recreating it. */
export interface InPlacePatch {
  /** New image by container name: sidecars that a webhook adds may shift the positions in the pod. */
  images: Record<string, string>;
  /** New cpu and memory; undefined: none of it changes. */
  resize?: Resize;
  /** New value by key; null removes the key. */
  metadata: {
    labels: Record<string, string | null>;
    annotations: Record<string, string | null>;
    /** Finalizers to add, as a strategic merge patch takes them. */
    finalizers?: string[];
    /** Finalizers to remove; a strategic merge patch lists them as `$deleteFromPrimitiveList/finalizers`. */
    removedFinalizers?: string[];
  };
}

/**
 * The patch from one pod template to another, or undefined when some difference needs a new pod (see `classify`).
 * Equal templates give an empty patch. (OpenKruise inplace-update, rules 6.1 and 6.2.)
 */
export function inPlacePatch(
  from: JsonObject,
  to: JsonObject,
  rules: Pick<UpdateRules, 'resizes'> = {},
): InPlacePatch | undefined {
  const [before, after] = [canonicalTemplate(from), canonicalTemplate(to)];
  const changes = templateChanges(before, after);
  const compared = comparison(before, after, rules);
  if (changes.some((change) => judge(change, compared).effect === 'Recreate')) return undefined;
  const resize = resizeOf(before, after);
  const images: [string, string][] = [];
  const labels: [string, string | null][] = [];
  const annotations: [string, string | null][] = [];
  const finalizers: string[] = [];
  const removedFinalizers: string[] = [];
  for (const change of changes) {
    switch (pathPattern(change.segments)) {
      case 'spec.containers[*].image':
        images.push([nameAt(change, 2), textOf(change.to) ?? '']);
        break;
      case 'metadata.labels[*]':
        labels.push([nameAt(change, 2), textOf(change.to)]);
        break;
      case 'metadata.annotations[*]':
        annotations.push([nameAt(change, 2), textOf(change.to)]);
        break;
      case 'metadata.finalizers[*]':
        (change.kind === 'removed' ? removedFinalizers : finalizers).push(nameAt(change, 2));
        break;
      default:
      // Resources are compared as a whole (`resizeOf`). Other metadata of a template never reaches a pod.
    }
  }
  return {
    images: Object.fromEntries(images),
    ...(resize && { resize }),
    metadata: {
      labels: Object.fromEntries(labels),
      annotations: Object.fromEntries(annotations),
      ...(finalizers.length > 0 ? { finalizers } : {}),
      ...(removedFinalizers.length > 0 ? { removedFinalizers } : {}),
    },
  };
}

function nameAt(change: TemplateChange, index: number): string {
  return change.segments[index]?.name ?? '';
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
