import type { Front } from './http/front.ts';

/** The response to a write, as far as tests use it. */
export interface Answered {
  code: number;
  warning: unknown;
  body: Record<string, unknown> & {
    metadata: Record<string, unknown> & { managedFields?: { fieldsV1: unknown }[] };
    details?: { causes: { field: string }[] };
  };
}

/** One write to a server. */
export async function send(
  { ask }: Front,
  method: string,
  path: string,
  body: object,
  type = 'application/json',
): Promise<Answered> {
  const {
    code,
    headers,
    json: answer,
  } = await ask(path, { method, headers: { 'content-type': type }, body });
  return { code, warning: headers['warning'], body: answer as Answered['body'] };
}

/** The media types of patches. */
export const merge = 'application/merge-patch+json';
export const strategic = 'application/strategic-merge-patch+json';
export const applied = 'application/apply-patch+yaml';

/** A minimal container. */
export const container = { name: 'c', image: 'i:1' };
