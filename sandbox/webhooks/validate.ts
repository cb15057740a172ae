import type { AdmittedWrite } from '../policies/write.ts';
import { isHooked, prepareCall, type WebhookSources } from './call.ts';
import { isExempt } from '../policies/exempt.ts';
import { calledWith } from './selection.ts';
import { hooksOf } from './webhook.ts';

/**
 * Asks the validating webhooks about a valid write, all at once. The first one in their order that refuses it, or
 * cannot be called, is thrown as an ApiError. Throws Waiting until they have answered.
 */
export function validateByWebhooks(describe: () => AdmittedWrite, sources: WebhookSources): void {
  if (!isHooked('validating', sources)) return;
  const write = describe();
  if (isExempt(write)) return;
  const prepared = hooksOf('validating', sources.related).flatMap((hook) => {
    const seen = calledWith(hook, write, sources);
    return seen === undefined
      ? []
      : [prepareCall(hook, write, seen, { ...sources, mutating: false, round: 0 })];
  });
  const answers = sources.answers.to(prepared.map(({ call }) => call));
  prepared.forEach(({ read }, index) => {
    const answer = answers[index];
    if (answer !== undefined) read(answer);
  });
}
