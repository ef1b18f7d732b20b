#!/usr/bin/env bash
# Apache Pig 0.17 beside Ostracon. The jars and classes lie in ~/.cache/ostracon/pig, outside the clone.
#   pig-oracle.sh fetch              get Pig and Hadoop's client from Maven Central, compile the runner
#   pig-oracle.sh run FOLDER...      run the case folders below FOLDER in one JVM
set -eu
here=$(cd "$(dirname "$0")" && pwd)/pig-oracle
cache=${OSTRACON_PIG:-$HOME/.cache/ostracon/pig}

fetch() {
  if ! [ -f "$cache/lib/jython-standalone-2.5.3.jar" ]; then
    mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$cache/lib" -DincludeScope=runtime
  fi
  if ! [ -f "$cache/sources/pig-0.17.0-sources.jar" ]; then
    mvn -q -B dependency:copy -Dartifact=org.apache.pig:pig:0.17.0:jar:sources -DoutputDirectory="$cache/sources"
  fi
  if [ "$here/PigOracle.java" -nt "$cache/classes/PigOracle.class" ] || [ "$0" -nt "$cache/classes/PigOracle.class" ]; then
    mkdir -p "$cache/classes"
    operator=org/apache/pig/impl/plan/Operator.java
    (cd "$cache/sources" && jar xf pig-0.17.0-sources.jar "$operator")
    # Since JDK 9 the fields of an object are set only when all of them are read, unless one of its classes has a
    # readObject; plans that hold themselves (ORDER with LIMIT) then cannot be read back.
    sed -i '/protected OperatorKey mKey;/a\
    private void readObject(java.io.ObjectInputStream in) throws java.io.IOException, ClassNotFoundException { in.defaultReadObject(); }' \
      "$cache/sources/$operator"
    javac -nowarn -Xlint:none -cp "$cache/lib/*" -d "$cache/classes" "$here/PigOracle.java" "$cache/sources/$operator"
  fi
}

# Hadoop 2.7 reaches into packages that JDK 17 keeps closed.
run() {
  mkdir -p "$cache/temp"
  TZ=UTC nice -n 10 java -Xmx1g -XX:+UseSerialGC -Duser.timezone=UTC -Dfile.encoding=UTF-8 \
    -Doracle.temp="$cache/temp" \
    --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED \
    --add-opens=java.base/java.net=ALL-UNNAMED --add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED \
    -cp "$cache/classes:$cache/lib/*" PigOracle "$@" 2>"$cache/stderr.log" ||
    { status=$?; tail -n 20 "$cache/stderr.log" >&2; exit $status; }
}

case ${1:-} in
  fetch) fetch ;;
  run) shift; fetch; run "$@" ;;
  *) grep '^#   ' "$0" >&2; exit 2 ;;
esac
