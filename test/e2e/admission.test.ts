import { expect } from 'vitest';
import { refusals, stricter } from '../fixtures/openkruise/admission.ts';
import { suite, type Kubectl } from './suite.ts';

/** The server's refusal of a dry run, or `accepted`. */
async function tried(k: Kubectl, method: string, path: string, body: unknown): Promise<string> {
  try {
    await k.server.rest(method, `${path}?dryRun=All`, body);
    return 'accepted';
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return (JSON.parse(text.slice(text.indexOf('{'))) as { message: string }).message;
  }
}

suite('admission', (test) => {
  test('the definition of CloneSet rejects invalid objects, and accepts valid ones', async (k) => {
    const wrong: string[] = [];
    for (const refusal of [...refusals, ...stricter]) {
      for (const version of ['v1alpha1', 'v1beta1'] as const) {
        const path = `/apis/apps.kruise.io/${version}/namespaces/${k.namespace}/clonesets`;
        let answer: string;
        if (refusal.before === undefined) answer = await tried(k, 'POST', path, refusal.object(version));
        else {
          const { metadata } = (await k.server.rest('POST', path, refusal.before(version))) as {
            metadata: { resourceVersion: string };
          };
          const object = refusal.object(version);
          answer = await tried(k, 'PUT', `${path}/web`, {
            ...object,
            metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion },
          });
          await k.server.rest('DELETE', `${path}/web`);
        }
        const expected = refusal.message ?? 'accepted';
        if (!answer.includes(expected))
          wrong.push(`${refusal.rule} (${version}): ${answer}, not ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
