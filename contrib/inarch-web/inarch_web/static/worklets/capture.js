// @ts-nocheck - a worklet has globals of its own
/** The microphone: from the device's rate to 16 kHz by a windowed sinc, sent as signed 16-bit samples, 20 ms at a time. */
const RATE = 16000, PIECE = 320, ZEROS = 16;

class Capture extends AudioWorkletProcessor {
  constructor() {
    super();
    this.step = sampleRate / RATE;
    const stretch = Math.max(1, this.step);
    this.reach = Math.ceil(ZEROS * stretch); // input samples on each side of an output sample
    this.cutoff = 0.92 / stretch;
    this.input = new Float32Array(0);
    this.at = this.reach; // of the next output sample, in the input
    this.piece = new Int16Array(PIECE);
    this.filled = 0;
  }

  process([channels]) {
    if (!channels || !channels.length) return true;
    const added = channels[0].slice();
    for (let number = 1; number < channels.length; number += 1)
      for (let place = 0; place < added.length; place += 1) added[place] += channels[number][place];
    const input = new Float32Array(this.input.length + added.length);
    input.set(this.input);
    for (let place = 0; place < added.length; place += 1) input[this.input.length + place] = added[place] / channels.length;
    while (this.at + this.reach < input.length) {
      this.put(this.sample(input, this.at));
      this.at += this.step;
    }
    const gone = Math.max(0, Math.floor(this.at) - this.reach);
    this.input = input.slice(gone);
    this.at -= gone;
    return true;
  }

  sample(input, at) {
    const middle = Math.floor(at);
    let sum = 0, whole = 0;
    for (let place = middle - this.reach + 1; place <= middle + this.reach; place += 1) {
      const away = place - at, x = Math.PI * away * this.cutoff;
      const weight = (x === 0 ? 1 : Math.sin(x) / x) * (0.5 + 0.5 * Math.cos((Math.PI * away) / (this.reach + 1)));
      sum += input[place] * weight;
      whole += weight;
    }
    return sum / whole;
  }

  put(value) {
    this.piece[this.filled++] = Math.round(Math.max(-1, Math.min(1, value)) * 32767);
    if (this.filled < PIECE) return;
    this.port.postMessage(this.piece.buffer, [this.piece.buffer]);
    this.piece = new Int16Array(PIECE);
    this.filled = 0;
  }
}

registerProcessor("inarch-capture", Capture);
