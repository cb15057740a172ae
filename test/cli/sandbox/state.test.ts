import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, it, test } from 'vitest';
import { nodeMachine } from '../../../cli/machine/node-machine.ts';
import { HostError } from '../../../compiler/host.ts';
import { request, accessOf, KUBECONFIG, namesAt } from '../world/sandbox-client.ts';
import { configMap } from '../world/sandbox-manifests.ts';
import { emptyFolder, endSandboxes, onceThrough, startReady } from '../world/sandbox-run.ts';

afterEach(endSandboxes);

describe('--state', () => {
  it('continues with the last state, and reports it', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a.yaml'), configMap('a'));
    const first = await startReady(['--state', 'state', '--load', 'a.yaml'], { folder });
    expect(first.out).toContain('  All objects are stored in state.\n');
    const before = (await request(folder, '/api/v1/namespaces/default/configmaps/a')).body;
    expect(readdirSync(folder).sort()).toEqual(['a.yaml', KUBECONFIG, 'state', 'state.lock']);
    first.stop();
    await first.code;
    expect(readdirSync(folder).sort()).toEqual(['a.yaml', 'state']);
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o600);
    const second = await startReady(['--state', 'state', '--nodes', '5'], { folder });
    expect(second.out).toMatch(
      /^ {2}All objects are stored in state; restored \d+ objects, at revision \d+\.$/m,
    );
    expect(second.out).toContain('  --nodes applies only to a new state file.\n');
    expect((await request(folder, '/api/v1/namespaces/default/configmaps/a')).body).toEqual(before);
    expect(await namesAt(folder, '/api/v1/nodes')).toHaveLength(3);
  });

  it('is locked by one process at a time, and a stale lock is replaced', async () => {
    const folder = emptyFolder();
    const one = { folder, machine: { pid: 4_000_001 } };
    const other = (alive: boolean) => ({ folder, machine: { pid: 4_000_002, isAlive: () => alive } });
    const args = (kubeconfig: string): string[] => ['--state', 'state', '--kubeconfig', kubeconfig];
    await startReady(args('one'), one);
    const refused = await onceThrough(args('two'), other(true));
    expect(refused.err).toBe(
      'kruise sandbox: state is in use by process 4000001; stop that process, or use another file with --state; if it is not a kruise sandbox, delete state.lock\n',
    );
    expect(readFileSync(join(folder, 'state.lock'), 'utf8')).toBe('4000001\n');
    const inUse = await onceThrough(args('two'), other(false));
    expect(inUse.err).toBe('');
    expect(existsSync(join(folder, 'state.lock'))).toBe(false);
    writeFileSync(join(folder, 'state.lock'), 'mine');
    const strange = await onceThrough(args('two'), other(false));
    expect(strange.err).toBe(
      'kruise sandbox: state.lock is not a lock file of kruise sandbox; if nothing uses state, delete it\n',
    );
  });

  test.each([
    [
      'another text',
      () => 'kind: ConfigMap\n',
      'state is not a state file of kruise sandbox; it was not changed; use another file with --state',
    ],
    [
      'damaged, and nothing can be saved of it',
      (good: string) => good.replace('node-2', 'node-9'),
      /^kruise sandbox: state is damaged: line \d+: the checksum does not match; it was not changed; no complete state precedes the damage; restore a backup, or use another file with --state\n$/,
    ],
    [
      'cut short',
      (good: string) => good.slice(0, good.length / 2),
      /^kruise sandbox: state is damaged: line \d+: the file ends too early; .* use another file with --state\n$/,
    ],
    [
      'of another version',
      (good: string) => {
        const header = (good.split('\n')[0] ?? '').slice(9).replace('"version":1', '"version":2');
        const checksum = crc32(header).toString(16).padStart(8, '0');
        return `${checksum} ${header}\n${good.slice(good.indexOf('\n') + 1)}`;
      },
      'state was written by another version of kruise: it has version 2, but this version reads 1; it was not changed; use another file with --state, or the version of kruise that wrote it',
    ],
  ])('that is %s is refused and not changed', async (_what, spoil, sentence) => {
    const folder = emptyFolder();
    await onceThrough(['--state', 'state'], { folder });
    const text = spoil(readFileSync(join(folder, 'state'), 'utf8'));
    writeFileSync(join(folder, 'state'), text);
    const run = await onceThrough(['--state', 'state'], { folder });
    expect(await run.code).toBe(1);
    if (typeof sentence === 'string') expect(run.err).toBe(`kruise sandbox: ${sentence}\n`);
    else expect(run.err).toMatch(sentence);
    expect(readFileSync(join(folder, 'state'), 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['state']);
  });

  it('that is damaged after a complete state is refused, and the remedy in the message works', async () => {
    const folder = emptyFolder();
    await onceThrough(['--state', 'state'], { folder });
    const good = readFileSync(join(folder, 'state'), 'utf8');
    writeFileSync(join(folder, 'state'), `${good}00000000 {}\n`);
    const lines = good.split('\n').length - 1;
    const run = await onceThrough(['--state', 'state'], { folder });
    expect(run.err).toBe(
      `kruise sandbox: state is damaged: line ${lines + 1}: the checksum does not match; it was not changed; head -n ${lines} state > NEW recovers everything before the damage\n`,
    );
    writeFileSync(join(folder, 'NEW'), `${good.split('\n').slice(0, lines).join('\n')}\n`);
    const saved = await onceThrough(['--state', 'NEW'], { folder });
    expect({ code: await saved.code, err: saved.err }).toEqual({ code: 0, err: '' });
  });

  it('that can no longer be written ends the sandbox, and has everything that was answered', async () => {
    const folder = emptyFolder();
    let full = false;
    const machine = nodeMachine();
    const open: typeof machine.open = (path) => {
      const file = machine.open(path);
      return {
        ...file,
        append(text) {
          // The sandbox also writes by itself, at any time: only this test's object fills the disk.
          full ||= text.includes('"refused"');
          if (full) throw new HostError('no space is left');
          file.append(text);
        },
      };
    };
    const run = await startReady(['--state', 'state'], { folder, machine: { open } });
    const { url, token } = accessOf(folder);
    const post = async (name: string): Promise<unknown> => {
      const answer = await fetch(`${url}/api/v1/namespaces/default/configmaps`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
      });
      return { code: answer.status, ...((await answer.json()) as object) };
    };
    expect(await post('kept')).toMatchObject({ code: 201 });
    expect(await post('refused')).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(await run.code).toBe(1);
    expect(run.err).toBe(
      'kruise sandbox: state cannot be written: no space is left; the sandbox stops; all answered requests are stored, so free some space and start it again\n',
    );
    await startReady(['--state', 'state'], { folder });
    expect(await namesAt(folder, '/api/v1/namespaces/default/configmaps')).toEqual(['kept']);
  });

  it.skipIf(process.getuid?.() === 0)('in a folder without permission is refused', async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'locked'));
    chmodSync(join(folder, 'locked'), 0o500);
    const run = await onceThrough(['--state', 'locked/state'], { folder });
    expect(run.err).toBe(
      'kruise sandbox: locked/state cannot be used: permission denied; name another file with --state\n',
    );
  });
});
