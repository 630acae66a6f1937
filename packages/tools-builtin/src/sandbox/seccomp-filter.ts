/** One instruction of a classic BPF program. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const jumpIfEqual = (value: number, jumpTrue: number, jumpFalse: number): Instruction => [
  0x15,
  jumpTrue,
  jumpFalse,
  value,
];
const jumpIfAtLeast = (value: number, jumpTrue: number, jumpFalse: number): Instruction => [
  0x35,
  jumpTrue,
  jumpFalse,
  value,
];
const answer = (value: number): Instruction => [0x06, 0, 0, value];

const allowed = answer(0x7fff_0000);
const refused = answer(0x0005_0001); // EPERM
const archOffset = 4;
const numberOffset = 0;
const firstArgument = 16;
const afUnix = 1;
const ioUringSetup = 425;
/** System calls of the x32 interface have this bit. */
const x32 = 0x4000_0000;

const machines: Readonly<Record<string, { readonly arch: number; readonly socket: number }>> = {
  x64: { arch: 0xc000_003e, socket: 41 },
  arm64: { arch: 0xc000_00b7, socket: 198 },
};

/**
 * A filter that refuses Unix sockets, by which a program could ask a daemon outside the sandbox to do things
 * for it: `socket(AF_UNIX)`, io_uring, and the calls of any other machine interface. Undefined where the
 * machine is not known.
 */
export function seccompFilter(machine: string = process.arch): Buffer | undefined {
  const known = machines[machine];
  if (!known) return undefined;
  const program: readonly Instruction[] = [
    load(archOffset),
    jumpIfEqual(known.arch, 0, 6), // else refused
    load(numberOffset),
    jumpIfAtLeast(x32, 4, 0),
    jumpIfEqual(ioUringSetup, 3, 0),
    jumpIfEqual(known.socket, 0, 3), // else allowed
    load(firstArgument),
    jumpIfEqual(afUnix, 0, 1), // else allowed
    refused,
    allowed,
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
