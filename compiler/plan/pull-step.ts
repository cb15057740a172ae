import type { StepRule } from '../../schemas/generated/types/config.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { pullsImages } from '../../semantics/kinds/pulls.ts';
import { imagesOf } from '../forecast/images.ts';
import type { Change } from './change.ts';
import { stepsOf } from './steps.ts';

/** The images that one step may have, by the schema. A pod with more of them pulls the others when it starts. */
const MOST_IMAGES = 64;

/**
 * The step that pulls images before the first batch; none if the rule asks for none, or if no image changes. Where git does
 * not know the state before, all images of the template may be new. A repeated plan pulls what it pulled before.
 *
 * @param again the plan that is repeated; undefined: none is
 */
export function pullSteps(
  rule: StepRule | undefined,
  change: Pick<Change, 'type' | 'action' | 'base' | 'head'>,
  again: RolloutPlanSpec | undefined,
): Step[] {
  return stepFor(
    rule,
    change.type,
    () => again?.steps.find(({ pull }) => pull)?.pull?.images ?? changedImages(change),
  );
}

/** The steps of the next change as its rule has them. Nobody knows its images: a text is in their place. */
export function nextSteps(rule: StepRule | undefined, type: PlannedKind): Step[] {
  return [...stepFor(rule, type, () => ['the images that change']), ...stepsOf(rule, type.shape)];
}

function stepFor(
  rule: StepRule | undefined,
  type: PlannedKind,
  imagesOfStep: () => readonly string[],
): Step[] {
  if (rule?.pull === undefined || !pullsImages(type)) return [];
  const images = imagesOfStep();
  if (images.length === 0) return [];
  const { parallelism, timeout = rule.timeout, onFailure = rule.onFailure } = rule.pull;
  const step: Step = {
    id: 'pull',
    pull: { images: images.slice(0, MOST_IMAGES), ...(parallelism === undefined ? {} : { parallelism }) },
  };
  if (timeout !== undefined) step.timeout = timeout;
  if (onFailure !== undefined) step.onFailure = onFailure;
  return [step];
}

/** The images of the new template that the one before does not have, sorted. */
function changedImages({ action, base, head }: Pick<Change, 'action' | 'base' | 'head'>): string[] {
  if (head === undefined) return [];
  const before = new Set(action === 'Unplanned' || base === undefined ? [] : imagesOf(base.normal.template));
  return [...new Set(imagesOf(head.normal.template))].filter((image) => !before.has(image)).sort();
}
