import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { Locate } from './schema-errors.ts';
import { isImageReference } from './image-reference.ts';
import { formatPath, valueAt } from './schema-errors.ts';

/** Beginnings of text that another tool replaces after planning: SOPS values and Argo CD Vault placeholders. */
export const INJECTED = ['ENC[', '<path:'];
/** Text that another tool may replace after planning: Flux substitution and Helm. */
const PLACEHOLDERS = ['${', '{{'];
/** Any of them, in JSON too: it escapes none of their characters. */
const MARKER = /ENC\[|<path:|\$\{|\{\{/;

/** How strictly image references are checked (`images` of kruise.yaml). */
export type ImagePolicy = 'any' | 'tag' | 'digest';

/**
 * Rules for the pod template of any kind that a schema cannot express.
 *
 * @param at the path of the template in the manifest
 */
export function templateRules(
  template: JsonObject,
  at: readonly string[],
  images: ImagePolicy,
  locate: Locate,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const names = new Map<string, string[]>();
  for (const list of ['initContainers', 'containers']) {
    const containers = valueAt(template, ['spec', list]);
    if (!Array.isArray(containers)) continue;
    for (const index of containers.keys()) {
      const path = ['spec', list, String(index), 'image'];
      const image = valueAt(template, path);
      found.push(...containerRules(containers[index], [...at, 'spec', list, String(index)], names, locate));
      if (typeof image === 'string' && isImageReference(image) && isMutable(image, images)) {
        const field = formatPath([...at, ...path]);
        found.push(diagnostic('KR2109', { field, image }, locate([...at, ...path], 'value')));
      }
    }
  }
  // The text of a template is found many times as fast as its members, and has no marker as a rule.
  if (MARKER.test(JSON.stringify(template))) replacedText(template, [...at], found, locate);
  return found;
}

function containerRules(
  container: Json | undefined,
  path: string[],
  names: Map<string, string[]>,
  locate: Locate,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const name = valueAt(container, ['name']);
  const image = valueAt(container, ['image']);
  const shown = typeof name === 'string' ? name : '';
  if (image === undefined || image === '') {
    const position = locate(image === undefined ? [...path, 'name'] : [...path, 'image'], 'value');
    found.push(diagnostic('KR2123', { container: shown }, position));
  }
  if (typeof name === 'string') {
    const first = names.get(name);
    if (first === undefined) names.set(name, [...path, 'name']);
    else {
      const args = { container: name, first: formatPath(first.slice(0, -1)) };
      found.push(diagnostic('KR2124', args, locate([...path, 'name'], 'value')));
    }
  }
  return found;
}

/** Whether an image reference can change its content: no tag, `latest` and, with `digest`, every tag. Always false with `any`. */
export function isMutable(image: string, images: ImagePolicy): boolean {
  if (images === 'any' || image === '' || image.includes('@')) return false;
  if (images === 'digest') return true;
  const lastPart = image.slice(image.lastIndexOf('/') + 1);
  const colon = lastPart.indexOf(':');
  const tag = colon < 0 ? '' : lastPart.slice(colon + 1);
  return tag === '' || tag === 'latest';
}

/** Whether another tool replaces the value after planning, so that its final content is unknown here. */
export function isReplaced(value: unknown): boolean {
  return typeof value === 'string' && [...INJECTED, ...PLACEHOLDERS].some((marker) => value.includes(marker));
}

function replacedText(value: Json | undefined, path: string[], found: Diagnostic[], locate: Locate): void {
  if (typeof value === 'string') {
    judgeText(value, path, 'value', found, locate);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) replacedText(item, [...path, String(index)], found, locate);
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      judgeText(key, [...path, key], 'key', found, locate);
      replacedText(value[key], [...path, key], found, locate);
    }
  }
}

function judgeText(
  text: string,
  path: string[],
  part: 'key' | 'value',
  found: Diagnostic[],
  locate: Locate,
): void {
  const injected = INJECTED.find((marker) => text.includes(marker));
  if (injected !== undefined) {
    found.push(diagnostic('KR2107', { field: formatPath(path), marker: injected }, locate(path, part)));
    return;
  }
  const placeholder = PLACEHOLDERS.find((marker) => text.includes(marker));
  if (placeholder !== undefined) {
    found.push(diagnostic('KR2108', { field: formatPath(path), marker: placeholder }, locate(path, part)));
  }
}
