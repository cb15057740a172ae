import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleKruise } from '../cli/world/bundle.ts';
import { cloneInto, prepare } from './world.ts';
import { createShell, type Shell } from './shell.ts';

const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const scratch = mkdtempSync(join(tmpdir(), 'kruise-advice-'));
let kruise = '';
beforeAll(async () => {
  kruise = await bundleKruise(join(scratch, 'program'));
}, 120_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A repository with a commit for nginx 1.25 and one for 1.27, each with its manifests, and what else is named. */
async function repository(second: string): Promise<{ shell: Shell; folder: string }> {
  const folder = mkdtempSync(join(scratch, 'repository-'));
  cloneInto(folder);
  const shell = createShell(folder, { kruise: `exec "${process.execPath}" "${kruise}" "$@"` });
  await prepare(
    shell,
    `mkdir ${folder}/own && cd ${folder}/own && git init --quiet --initial-branch=main`,
    'cp -r ../clone/examples/approval/1-nginx-1.25/* . && git add . && git commit --quiet --message "nginx 1.25"',
    `cp -r ../clone/examples/approval/2-nginx-1.27/* . && ${second} && git add . && git commit --quiet --message "nginx 1.27"`,
  );
  return { shell, folder: join(folder, 'own') };
}

/** The command that a message names, for a change in the last commit. */
function named(out: string): string {
  const command = /kruise plan \S+ --base COMMIT~1/.exec(out.replaceAll(/\s+/g, ' '))?.[0];
  if (command === undefined) throw new Error(`no command is named: ${out}`);
  return command.replace('COMMIT', 'HEAD').replace('MANIFEST', 'manifests/web.yaml');
}

describe('the command that a message names works', { timeout: 120_000 }, () => {
  test('for a merged change of a target without an earlier plan', async () => {
    const { shell, folder } = await repository('rm -r plans');
    const { out, code } = await shell.run('kruise plan --again');
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('KR3011') });
    await prepare(shell, named(out));
    expect(readFileSync(join(folder, PLAN), 'utf8')).toContain('nginx:1.27');
    shell.close();
  });

  test('for a merged plan that was edited', async () => {
    const { shell, folder } = await repository(`sed -i.bak 's/25%/50%/' ${PLAN}`);
    const written = readFileSync(join(folder, '../clone/examples/approval/2-nginx-1.27', PLAN), 'utf8');
    expect(readFileSync(join(folder, PLAN), 'utf8')).not.toBe(written);
    const { out, code } = await shell.run('kruise plan');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('KR3025') });
    await prepare(shell, named(out));
    expect(readFileSync(join(folder, PLAN), 'utf8')).toBe(written);
    shell.close();
  });
});
