import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Change } from '../plan/change.ts';
import { fieldPath } from '../plan/target.ts';
import { formatPath, valueAt, type Locate } from './schema-errors.ts';
import { isMutable, type ImagePolicy } from './template-rules.ts';

/**
 * Warns of a plan that goes back by itself to an image with a mutable tag: the tag may refer to another image by then, such
 * as the one that failed.
 */
export function revertRules({ base, head, plan }: Change, images: ImagePolicy, locate: Locate): Diagnostic[] {
  if (base === undefined || head === undefined || plan === undefined) return [];
  if (!plan.spec.steps.some(({ onFailure }) => onFailure === 'Revert')) return [];
  const before = new Map(imagesOf(podTemplateOf(base.normal)).map(({ key, image }) => [key, image] as const));
  return imagesOf(podTemplateOf(head.normal)).flatMap(({ key, image, path }) => {
    const earlier = before.get(key);
    if (earlier === undefined || earlier === image || !isMutable(earlier, images)) return [];
    const whole = [...fieldPath(head, 'template'), ...path];
    return [diagnostic('KR2139', { field: formatPath(whole), image: earlier }, locate(whole, 'value'))];
  });
}

/** The images of a template, by the list and the name of their container. */
function imagesOf(template: unknown): { key: string; image: string; path: string[] }[] {
  return ['initContainers', 'containers'].flatMap((list) => {
    const containers = valueAt(template, ['spec', list]);
    return (Array.isArray(containers) ? (containers as unknown[]) : []).flatMap((container, index) => {
      const [name, image] = [valueAt(container, ['name']), valueAt(container, ['image'])];
      if (typeof name !== 'string' || typeof image !== 'string') return [];
      return [{ key: `${list} ${name}`, image, path: ['spec', list, String(index), 'image'] }];
    });
  });
}
