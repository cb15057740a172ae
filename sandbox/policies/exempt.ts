import type { AdmittedWrite } from './write.ts';

/** What decides about admission is never subject to policies and webhooks, and neither are reviews, which store nothing. */
export function isExempt({ served: { type } }: AdmittedWrite): boolean {
  return type.group === 'admissionregistration.k8s.io' || type.answer !== undefined;
}
