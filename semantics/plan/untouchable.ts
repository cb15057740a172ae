import type { RolloutView } from './rollout-view.ts';
import type { FactDetails } from './situation.ts';

/** Why nothing of a target is changed, whatever plans there are; undefined: it may be. */
export function untouchable({ invalid, origin, unsupported }: RolloutView): FactDetails | undefined {
  if (invalid.length > 0) {
    const message = `${invalid.join('; ')}. No pod is changed until git corrects that`;
    return { message, reason: 'InvalidTarget' };
  }
  if (origin.by === 'unproven') {
    const message = `it needs a plan, or proof that it is created within one: ${origin.why}. It begins nowhere. Delete it, or remove its controller and plan it`;
    return { message, reason: 'Unproven' };
  }
  if (unsupported.length === 0) return undefined;
  return { message: `this runtime does not execute ${unsupported.join(', ')}` };
}
